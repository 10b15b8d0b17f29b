package page

import (
	"net/http"

	"portico/model"
	"portico/web"
)

// origin is what the page of a remix says about the space that it was copied from.
type origin struct {
	Title   string
	Address string // "" for a space that the visitor cannot find
}

// originOf returns the origin of a space; nil for one that is no remix.
func originOf(r *request, found *model.SpacePage) *origin {
	switch {
	case found.Space.OriginID == "":
		return nil
	case found.Origin == nil:
		return &origin{}
	}
	return &origin{Title: found.Origin.Title, Address: r.link("/"+found.Origin.ID, nil)}
}

// copySpace handles POST /copy/{spaceId}: the form of the page of a space. web.Site.Page has refused
// forms of other sites. It shows the copy.
func (p *Pages) copySpace(w http.ResponseWriter, r *request) error {
	if !r.isSignedIn() {
		return p.site.RedirectToSignIn(w, r.Request)
	}
	copied, err := p.mutations.DuplicateSpace(r.Context(), model.DuplicateSpace{SpaceID: r.PathValue("id")})
	if err != nil {
		return err
	}
	return web.Redirect(w, r.Request, r.link("/"+copied.ID, nil))
}

// showCopied handles GET /copy/{spaceId}, where somebody arrives who has signed in to make a copy: the
// page of the space has the form.
func (p *Pages) showCopied(w http.ResponseWriter, r *request) error {
	if !model.IsSpaceID(r.PathValue("id")) {
		return model.NotFound(model.SpaceNotFound)
	}
	return web.Redirect(w, r.Request, r.link("/"+r.PathValue("id"), nil))
}
