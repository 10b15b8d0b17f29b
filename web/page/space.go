package page

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"portico/model"
)

// spacePage is the content of space.html and embed.html.
type spacePage struct {
	Space        *model.Space
	OwnerName    string
	OwnerAddress string
	Address      string // absolute, of the page of the space
	Items        []item
	More         bool
	Poster       string // "" for none
	Attributions []string
	Licence      *model.Licence
	Downloads    []download
	TakeAway     string  // the address of the space as a zip, for its owner; "" for others
	Origin       *origin // nil for a space that is no remix
	Copy         string  // the address that makes a copy; "" if the visitor may not make one
	Own          bool    // whether the space is the visitor's
	EmbedCode    string  // "" for a space that strangers cannot read
	Language     string
	Embedded     bool
	Files        string // the origins of files, with blanks between
	Plugins      string // the address of the frame of plugins
	Frames       string // the origins that the gates of the page may show, with blanks between
}

// showSpace handles GET /{spaceId}.
func (p *Pages) showSpace(w http.ResponseWriter, r *request) error {
	return p.respondSpace(w, r, "space", p.policies.space)
}

// showEmbed handles GET /embed/{spaceId}.
func (p *Pages) showEmbed(w http.ResponseWriter, r *request) error {
	if !model.IsSpaceID(r.PathValue("id")) {
		return model.NotFound(model.SpaceNotFound)
	}
	return p.respondSpace(w, r, "embed", p.policies.embedPolicy)
}

// respondSpace responds with a page of the space that the address names.
//
// What depends on the privacy of the space:
//
//	Public      indexed, cached, with a picture for previews
//	Link Only   not indexed, cached, with a picture for previews
//	Private     not indexed, never cached, without a picture; for the owner, and for who has entered by a share link
func (p *Pages) respondSpace(w http.ResponseWriter, r *request, page string, policy func(frames []string) string) error {
	found, err := p.queries.SpacePage(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return p.respondFound(w, r, found, page, policy)
}

// respondFound responds with a page of the space.
func (p *Pages) respondFound(
	w http.ResponseWriter, r *request, found *model.SpacePage, page string, policy func(frames []string) string,
) (err error) {
	frames := p.framedOrigins(found.Items)
	if r.embedded {
		allowIsolatedFrames(w.Header(), frames)
	}
	content := p.newSpacePage(r, found)
	content.Frames = strings.Join(frames, " ")
	f := p.newFrame(r, pathOf(found), nil)
	f.Title, f.Description, f.Image = found.Space.Title, summary(found.Space.Description), found.Poster
	if f.Description == "" {
		if f.Description, err = r.language.text("space.summary", "name", found.OwnerName); err != nil {
			return err
		}
	}
	// Search engines index the page of a space, not its embedded form.
	f.NoIndex = found.Space.Privacy != model.Public || r.embedded
	f.Scene, f.Content = p.scene.firstLoadFor(r.language, p.queries.FirstFiles(r.Context(), found)), content
	f.Licence = content.Licence
	response := pageResponse{status: http.StatusOK, page: page, policy: policy(frames), cache: cacheFor(r), frame: f}
	if found.Space.Privacy == model.Private {
		// Link previews are for strangers, and so are caches.
		response.frame.Image, response.frame.Canonical, response.cache = "", "", cacheNever
		return p.respond(w, r, response)
	}
	if len(model.LinkVisitsFrom(r.Context())) > 0 {
		response.cache = cacheNever // its addresses of files are for this visitor
	}
	response.frame.OEmbed = p.oEmbedAddress(found.Space)
	return p.respond(w, r, response)
}

// pathOf returns the path of the page of a space that search engines and people should use: with names
// if the space is Public, because names open no other space for strangers.
func pathOf(found *model.SpacePage) string {
	if path := found.Named.SpacePath(); path != "" && found.Space.Privacy == model.Public {
		return path
	}
	return "/" + found.Space.ID
}

// newSpacePage returns what a page shows of the space.
func (p *Pages) newSpacePage(r *request, found *model.SpacePage) spacePage {
	space := found.Space
	page := spacePage{
		Space: space, OwnerName: found.OwnerName, OwnerAddress: r.link(cmp.Or(model.Named{Handle: found.Named.Handle}.Path(), personPath+space.OwnerID), nil),
		Address: p.base + pathOf(found), Items: p.itemsOf(r, found.Items), More: found.More, Poster: found.Poster,
		Attributions: found.Attributions, Licence: model.LicenceOf(space.Licence), Downloads: downloadsOf(found), Language: r.language.tag, Embedded: r.embedded, Files: p.fileOrigins, Plugins: p.plugins,
	}
	page.Origin = originOf(r, found)
	if found.MayCopy {
		page.Copy, page.Own = copyPath+space.ID, found.Owned
	}
	if found.Owned && !r.embedded {
		page.TakeAway = downloadPath + space.ID
	}
	if space.Privacy != model.Private {
		page.EmbedCode = p.embedCode(space, embedWidth, embedHeight)
	}
	return page
}

// maxSummary is the maximum number of characters of a summary, about what search engines
// and link previews show.
const maxSummary = 200

// summary returns the start of a description in one line.
func summary(description string) string {
	text := []rune(strings.Join(strings.Fields(description), " "))
	if len(text) <= maxSummary {
		return string(text)
	}
	return strings.TrimRight(string(text[:maxSummary-1]), " ") + "…"
}

// The size of a frame that shows a space, in pixels.
const (
	embedWidth  = 800
	embedHeight = 450
)

// embedCode returns the HTML that shows the space in a page of another site.
func (p *Pages) embedCode(space *model.Space, width, height int) string {
	return fmt.Sprintf(`<iframe src="%s" title="%s" width="%d" height="%d" style="max-width: 100%%; border: 0" loading="lazy" `+
		`allow="autoplay; clipboard-write; fullscreen; gamepad; xr-spatial-tracking" allowfullscreen></iframe>`,
		html.EscapeString(p.base+embedPath+space.ID), html.EscapeString(space.Title), width, height)
}

// oEmbedAddress returns the address of the space's oEmbed response.
func (p *Pages) oEmbedAddress(space *model.Space) string {
	return p.base + oEmbedPath + "?" + url.Values{"url": {p.queries.SpaceURL(space)}, "format": {"json"}}.Encode()
}
