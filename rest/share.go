package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// sharedSpace handles GET /splatjs/share/:spaceId for everybody.
func (a *api) sharedSpace(w http.ResponseWriter, r *http.Request) error {
	space, err := a.resolver.Query().SharedSpace(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSharePage(space))
}

// sharedSpaces handles GET /splatjs/gallery for everybody.
//
// Its parameters have names of their own, count and before, because that is what its clients send.
func (a *api) sharedSpaces(w http.ResponseWriter, r *http.Request) error {
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().SharedSpaces(r.Context(), parseNumber(query, "count"), query.Get("before"))
	if err != nil {
		return renameField(err, map[string]string{"limit": "count", "cursor": "before"})
	}
	return respondOK(w, view.NewGallery((*model.Connection[*model.Space])(page)))
}

// ownSharedSpaces handles GET /splatjs/mine.
func (a *api) ownSharedSpaces(w http.ResponseWriter, r *http.Request) error {
	spaces, err := a.resolver.Query().OwnSharedSpaces(r.Context())
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSharedSpaces(spaces))
}

// renameField returns the refusal of a field with the name that the field has on the route.
func renameField(err error, names map[string]string) error {
	refusal := model.AsError(err)
	name, ok := names[refusal.Field]
	if !ok {
		return err
	}
	return refusal.RenameField(name)
}
