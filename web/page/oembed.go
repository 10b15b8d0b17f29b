package page

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/internal/cors"
	"portico/model"
	"portico/web"
)

// oEmbedResponse is the response of oEmbed 1.0, section 2.3.4. License and LicenseURL are
// not in the standard; other sites send them under these names.
type oEmbedResponse struct {
	Type            string `json:"type"`
	Version         string `json:"version"`
	Title           string `json:"title"`
	AuthorName      string `json:"author_name"`
	AuthorURL       string `json:"author_url"`
	ProviderName    string `json:"provider_name"`
	ProviderURL     string `json:"provider_url"`
	HTML            string `json:"html"`
	License         string `json:"license,omitempty"`
	LicenseURL      string `json:"license_url,omitempty"`
	Width           int    `json:"width"`
	Height          int    `json:"height"`
	ThumbnailURL    string `json:"thumbnail_url,omitempty"`
	ThumbnailWidth  int    `json:"thumbnail_width,omitempty"`
	ThumbnailHeight int    `json:"thumbnail_height,omitempty"`
}

// providerName is the name of the service in link previews.

// oEmbed handles GET /oembed for spaces that everybody may read. It ignores the session:
// its responses go to servers of other sites.
//
// What it refuses (oEmbed 1.0, section 2.3.5):
//
//	another format than json     501
//	an invalid size              400
//	the address of another page  404
//	a space that is Private      401
func (p *Pages) oEmbed(w http.ResponseWriter, r *http.Request) {
	cors.Policy{}.Allow(w.Header())
	query := r.URL.Query()
	if format := query.Get("format"); format != "" && format != "json" {
		p.refuseOEmbed(w, r, http.StatusNotImplemented, "The only format is json")
		return
	}
	width, okWidth := sizeWithin(embedWidth, query.Get("maxwidth"))
	height, okHeight := sizeWithin(embedHeight, query.Get("maxheight"))
	if !okWidth || !okHeight {
		p.refuseOEmbed(w, r, http.StatusBadRequest, "maxwidth and maxheight must be whole numbers of at least 1")
		return
	}
	id, named := p.spaceOf(query.Get("url"))
	if id == "" && named.Slug == "" {
		p.refuseOEmbed(w, r, http.StatusNotFound, notAnAddress)
		return
	}
	err := p.countAddress(r, 1)
	var found *model.SpacePage
	if err == nil && id != "" {
		found, err = p.queries.SpacePage(r.Context(), id)
	} else if err == nil {
		found, err = p.namedSpacePage(r.Context(), named)
	}
	if err != nil {
		p.failOEmbed(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", cacheRevalidated)
	p.respondJSON(w, r, http.StatusOK, p.newOEmbed(found, p.queries.SpacePosters(r.Context(), found), width, height))
}

// sizeWithin returns the size that a frame has within a maximum; "" means none.
func sizeWithin(size int, maximum string) (int, bool) {
	if maximum == "" {
		return size, true
	}
	n, err := strconv.Atoi(maximum)
	return min(size, n), err == nil && n >= 1
}

// notAnAddress is the refusal of an address that leads to no space.
const notAnAddress = "url must be the address of a space on this server"

// spaceOf returns the id or the names of the space whose page has this address, with or without its
// parameters; neither for any other address.
func (p *Pages) spaceOf(address string) (id string, named model.Named) {
	u, err := url.Parse(address)
	base, baseErr := url.Parse(p.base)
	if err != nil || baseErr != nil || u.Opaque != "" || u.User != nil || !strings.EqualFold(u.Host, base.Host) ||
		(u.Scheme != "http" && u.Scheme != "https") {
		return "", model.Named{}
	}
	path := web.WithoutEmptySegments(u.Path)
	if named, ok := model.ParseNamedPath(path); ok {
		return "", named
	}
	id = strings.TrimPrefix(path, "/")
	if below, ok := strings.CutPrefix(path, embedPath); ok {
		id = below
	}
	if !model.IsSpaceID(id) {
		return "", model.Named{}
	}
	return id, model.Named{}
}

// newOEmbed returns the response for a space whose poster has these sizes, smallest first.
func (p *Pages) newOEmbed(found *model.SpacePage, posters []*model.Poster, width, height int) oEmbedResponse {
	space := found.Space
	response := oEmbedResponse{
		Type: "rich", Version: "1.0", Title: space.Title, AuthorName: found.OwnerName,
		AuthorURL: p.base + cmp.Or(model.Named{Handle: found.Named.Handle}.Path(), personPath+space.OwnerID), ProviderName: p.brand.Called(), ProviderURL: p.base + "/",
		HTML: p.embedCode(space, width, height), Width: width, Height: height,
	}
	if licence := model.LicenceOf(space.Licence); licence != nil {
		response.License, response.LicenseURL = licence.Name, licence.URL
	}
	// A thumbnail needs its exact size, and must fit like the frame.
	for _, poster := range posters {
		if poster.Width <= width && poster.Height <= height {
			response.ThumbnailURL, response.ThumbnailWidth, response.ThumbnailHeight = poster.URL, poster.Width, poster.Height
		}
	}
	return response
}

// failOEmbed refuses with the status of oEmbed 1.0, section 2.3.5: 401 for a space that not
// everybody may read.
func (p *Pages) failOEmbed(w http.ResponseWriter, r *http.Request, err error) {
	shown := model.AsError(err)
	switch shown.Code {
	case model.CodeUnauthenticated:
		p.refuseOEmbed(w, r, http.StatusUnauthorized, "This space is private")
		return
	case model.CodeRateLimited:
		web.SetRetryAfter(w.Header(), shown.RetryAfter)
	case model.CodeInternal:
		p.logFault(r, err)
		if shown.IsOutage() {
			web.SetRetryAfter(w.Header(), shown.RetryAfter)
		}
	}
	p.refuseOEmbed(w, r, shown.HTTPStatus(), shown.Message)
}

// refuseOEmbed responds with an error in JSON.
func (p *Pages) refuseOEmbed(w http.ResponseWriter, r *http.Request, status int, message string) {
	w.Header().Set("Cache-Control", cacheNever)
	p.respondJSON(w, r, status, map[string]string{"status": "error", "message": message})
}

// respondJSON responds with the value as JSON and its Content-Length.
func (p *Pages) respondJSON(w http.ResponseWriter, r *http.Request, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil { // all values are texts and numbers
		p.logFault(r, err)
		web.RefuseInText(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only when the client has left
}

// logFault logs an error if it is a fault of ours.
func (p *Pages) logFault(r *http.Request, err error) {
	model.LogFault(r.Context(), p.log, err, "door", "page", "path", r.URL.Path)
}
