package page

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

// download is a file that a page offers for download.
type download struct {
	Title, Format string
	Size          string // for people; "" where it is not known
	View          bool
	Address       string
	// Formats are the other formats in which the server makes it.
	Formats []model.ConversionTarget
}

// downloadsOf returns the downloads that the page offers, at addresses of this server: the space may
// become Private, and its owner may take back the licence.
func downloadsOf(page *model.SpacePage) []download {
	var downloads []download
	for _, d := range page.Downloads {
		address := downloadPath + page.Space.ID + "/" + url.PathEscape(d.EntityID)
		if d.View {
			address += "?form=" + viewForm
		}
		entry := download{Title: d.File.Title(), Format: d.Format(), View: d.View, Address: address, Formats: d.Formats}
		if d.Bytes > 0 {
			entry.Size = sizeText(d.Bytes)
		}
		downloads = append(downloads, entry)
	}
	return downloads
}

// sizeText returns a number of bytes for people.
func sizeText(bytes int64) string {
	if bytes < 1_000_000 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%d MB", (bytes+500_000)/1_000_000)
}

// viewForm is the parameter form of an address that downloads the view of a file.
const viewForm = "view"

// The places of downloads that are zips. One reads a whole folder of the store, so a few take all of
// a disk's speed. The files of one account have half of them, and a slow reader makes room for others.
const (
	zipsInTotal    = 8
	zipsPerAccount = 4
	maxZipWait     = 30 * time.Second
	minZipRate     = 8 << 10 // bytes per second
	zipGrace       = 20 * time.Second
)

// newZips returns the places of zips.
func newZips() *semaphore.Room {
	return &semaphore.Room{Size: zipsInTotal, Share: zipsPerAccount, MaxWaiting: zipsInTotal, Floor: minZipRate, Grace: zipGrace}
}

// formatParameter is the parameter of an address and of a form that names another format.
const formatParameter = "format"

// makingCost is how many requests of an address count for a format that it asks for, which costs the
// server more than any page.
const makingCost = 30

// makeDownload handles POST /download/{spaceId}/{entityId}: it has the capture made in another format.
// The page that it shows goes to the address of the format, which is a GET: browsers that obey form-action
// would not follow the redirect of a form to the origin of the files.
func (p *Pages) makeDownload(w http.ResponseWriter, r *request) error {
	if err := p.countAddress(r.Request, makingCost); err != nil {
		return err
	}
	found, err := p.mutations.RequestDownload(r.Context(), r.requestedFormat(r.PostForm))
	if err != nil {
		return err
	}
	return p.showMaking(w, r, found)
}

// requestedFormat returns the format that a form or an address names.
func (r *request) requestedFormat(values url.Values) model.RequestDownload {
	return model.RequestDownload{
		SpaceID: r.PathValue("id"), EntityID: r.PathValue("entity"), Format: model.ConversionTarget(values.Get(formatParameter)),
	}
}

// made is the content of made.html.
type made struct {
	State        model.PreparationState
	Name, Format string
	Reason       string // of a failure
	Size         string
	Address      string // of the file; empty until it is made
}

// madeRefresh is how many seconds after each other the page of a format asks whether it is made.
const madeRefresh = 3

// showMaking shows that a format is being made, is made, or cannot be made. The page goes to the address
// of the format by itself.
func (p *Pages) showMaking(w http.ResponseWriter, r *request, found *model.FormatDownload) error {
	address := downloadPath + r.PathValue("id") + "/" + url.PathEscape(r.PathValue("entity"))
	query := url.Values{formatParameter: {string(found.Format)}}
	content := made{State: found.State(), Name: found.Title, Format: found.Format.Title(), Reason: found.Failure}
	f := p.newFrame(r, address, query)
	wait := madeRefresh
	if content.State == model.StepReady {
		content.Address, content.Size, wait = r.link(address, query), sizeText(found.Bytes), 0
	}
	if content.State != model.StepFailed {
		w.Header().Set("Refresh", fmt.Sprintf("%d; url=%s", wait, r.link(address, query)))
	}
	f.NoIndex, f.Canonical, f.Content = true, "", content
	var err error
	if f.Title, err = r.language.text("made." + string(content.State) + ".title"); err != nil {
		return err
	}
	return p.respond(w, r, pageResponse{status: http.StatusOK, page: "made", policy: p.policies.list, cache: cacheNever, frame: f})
}

// sendFormat handles GET /download/{spaceId}/{entityId}?format=: it redirects to the file once it is made.
func (p *Pages) sendFormat(w http.ResponseWriter, r *request) error {
	found, err := p.queries.FormatDownload(r.Context(), r.requestedFormat(r.URL.Query()))
	if err != nil {
		return err
	}
	if found.State() == model.StepReady {
		redirectToFile(w, found.URL)
		return nil
	}
	return p.showMaking(w, r, found)
}

// redirectToFile redirects to a file of the store. Caches do not keep where.
func redirectToFile(w http.ResponseWriter, address string) {
	setDownloadHeaders(w.Header())
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusFound)
}

func setDownloadHeaders(h http.Header) {
	h.Set("Cache-Control", cacheNever)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
}

// sendDownload handles GET /download/{spaceId}/{entityId}. It redirects to a file, so that the store
// sends it, and sends a folder as a zip, for which there are few places. Caches keep neither: the
// owner may take back the licence.
func (p *Pages) sendDownload(w http.ResponseWriter, r *request) error {
	if r.URL.Query().Has(formatParameter) {
		return p.sendFormat(w, r)
	}
	found, err := p.queries.Download(r.Context(), r.PathValue("id"), r.PathValue("entity"), r.URL.Query().Get("form") == viewForm)
	if err != nil {
		return err
	}
	if found.Folder() == "" {
		redirectToFile(w, found.URL)
		return nil
	}
	setDownloadHeaders(w.Header())
	return p.sendFolder(w, r, found)
}

// sendFolder sends a folder as a zip.
func (p *Pages) sendFolder(w http.ResponseWriter, r *request, found *model.Download) error {
	return p.sendZip(w, r, found.File.UserID, found.ZipName(), func(w io.Writer) error { return p.queries.WriteDownload(r.Context(), found, w) })
}

// sendSpace handles GET /download/{spaceId}: it sends a space to its owner, as a zip of a folder that any
// web server can show.
func (p *Pages) sendSpace(w http.ResponseWriter, r *request) error {
	space, err := p.queries.SpaceToTakeAway(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	taken, err := p.takeAway(r.Request, space)
	if err != nil {
		return err
	}
	setDownloadHeaders(w.Header())
	return p.sendZip(w, r, space.OwnerID, (&model.File{Name: space.Title + ".zip"}).Title()+".zip", func(w io.Writer) error {
		return taken.WriteZip(r.Context(), w)
	})
}

// sendZip sends a zip that write writes, of files of an account. A failure after the first byte ends the
// connection, so that no browser takes the part for the whole.
func (p *Pages) sendZip(w http.ResponseWriter, r *request, ownerID, name string, write func(io.Writer) error) error {
	waiting, cancel := context.WithTimeout(r.Context(), maxZipWait)
	defer cancel()
	response, err := p.zips.Respond(waiting, ownerID, w)
	if err != nil {
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many downloads at the same time", RetryAfter: time.Minute}
	}
	defer response.Leave()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	if r.Method == http.MethodHead {
		return nil
	}
	if err := write(response); err != nil {
		p.logFault(r.Request, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
