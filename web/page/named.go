package page

import (
	"context"
	"net/http"

	"portico/model"
	"portico/web"
)

// showNamed handles GET /@{handle} and GET /@{handle}/{slug}: the pages of accounts and spaces by
// their names.
func (p *Pages) showNamed(w http.ResponseWriter, r *request) error {
	named, ok := model.ParseNamedPath(web.WithoutEmptySegments(r.URL.Path))
	if !ok {
		return model.NotFound(model.SpaceNotFound) // never: the path has routed the request
	}
	if named.Slug == "" {
		return p.showNamedPerson(w, r, named)
	}
	return p.showNamedSpace(w, r, named)
}

func (p *Pages) showNamedPerson(w http.ResponseWriter, r *request, named model.Named) error {
	id, err := p.queries.AccountOf(r.Context(), named.Handle)
	if err != nil {
		return err
	}
	args := pageArgs(r.URL.Query())
	profile, gallery, err := p.queries.ProfilePage(r.Context(), id, args)
	if err != nil {
		return err
	}
	current := model.Named{Handle: profile.Handle}.Path()
	if current == "" {
		current = personPath + profile.ID
	}
	if !isPath(r, current) {
		return redirectToName(w, r, current)
	}
	return p.respondPerson(w, r, profile, gallery, args)
}

func (p *Pages) showNamedSpace(w http.ResponseWriter, r *request, named model.Named) error {
	found, err := p.namedSpacePage(r.Context(), named)
	if err != nil {
		return err
	}
	current := found.Named.SpacePath()
	if current == "" {
		current = "/" + found.Space.ID
	}
	if !isPath(r, current) {
		return redirectToName(w, r, current)
	}
	return p.respondFound(w, r, found, "space", p.policies.space)
}

// namedSpacePage returns what the page of a space shows that is found by its names. A space that has
// become Private since it was found is not found either: a refusal would tell a stranger of it.
func (p *Pages) namedSpacePage(ctx context.Context, named model.Named) (*model.SpacePage, error) {
	id, err := p.queries.NamedSpace(ctx, named)
	if err != nil {
		return nil, err
	}
	found, err := p.queries.SpacePage(ctx, id)
	if code := model.CodeOf(err); code == model.CodeUnauthenticated || code == model.CodeForbidden {
		err = model.NotFound(model.SpaceNotFound)
	}
	return found, err
}

// isPath reports whether the request is for this path.
func isPath(r *request, path string) bool { return web.WithoutEmptySegments(r.URL.Path) == path }

// redirectToName leads a request for a former name, or for a name in capitals, to the current address.
// The path is never a part of the request, and no cache keeps the redirect: the name may change again,
// and the visitor may lose the right to see where it leads.
func redirectToName(w http.ResponseWriter, r *request, path string) error {
	w.Header().Set("Cache-Control", cacheNever)
	return web.Redirect(w, r.Request, withQuery(path, r.URL.Query()))
}
