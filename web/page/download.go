package page

import (
	"context"
	"fmt"
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
		entry := download{Title: d.File.Title(), Format: d.Format(), View: d.View, Address: address}
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

// sendDownload handles GET /download/{spaceId}/{entityId}. It redirects to a file, so that the store
// sends it, and sends a folder as a zip, for which there are few places. Caches keep neither: the
// owner may take back the licence.
func (p *Pages) sendDownload(w http.ResponseWriter, r *request) error {
	found, err := p.queries.Download(r.Context(), r.PathValue("id"), r.PathValue("entity"), r.URL.Query().Get("form") == viewForm)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", cacheNever)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("X-Robots-Tag", "noindex")
	if found.Folder() == "" {
		w.Header().Set("Location", found.URL)
		w.WriteHeader(http.StatusFound)
		return nil
	}
	return p.sendFolder(w, r, found)
}

// sendFolder sends a folder as a zip. A failure after the first byte ends the connection, so that no
// browser takes the part for the whole.
func (p *Pages) sendFolder(w http.ResponseWriter, r *request, found *model.Download) error {
	waiting, cancel := context.WithTimeout(r.Context(), maxZipWait)
	defer cancel()
	response, err := p.zips.Respond(waiting, found.File.UserID, w)
	if err != nil {
		return &model.Error{Code: model.CodeRateLimited, Message: "Too many downloads at the same time", RetryAfter: time.Minute}
	}
	defer response.Leave()
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": found.ZipName()}))
	if r.Method == http.MethodHead {
		return nil
	}
	if err := p.queries.WriteDownload(r.Context(), found, response); err != nil {
		p.logFault(r.Request, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}
