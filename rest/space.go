package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"portico/graph/view"
	"portico/limit"
	"portico/model"
)

// spaces handles GET /spaces.
func (a *api) spaces(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().Spaces(r.Context(), query.search, query.limit, query.cursor)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceList(a.resolver, (*model.Connection[*model.Space])(page)))
}

// space handles GET /spaces/:spaceId for everybody who may read the space, and counts a visit. HEAD
// does not count as one.
func (a *api) space(w http.ResponseWriter, r *http.Request) (err error) {
	var space *model.Space
	id := pathValue(r, "spaceId")
	if r.Method == http.MethodHead {
		space, err = a.resolver.Query().Space(r.Context(), id)
	} else {
		space, err = a.resolver.Mutation().VisitSpace(r.Context(), id)
	}
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceRecord(a.resolver, space))
}

// createSpaceBody has the fields of a new space. All are optional.
type createSpaceBody struct {
	model.SpaceTextInput
	// ResourceKey is the file of the caller that the space shows. Its name is the default title.
	ResourceKey *string          `json:"resource_key"`
	SpaceType   *model.SpaceType `json:"space_type"`
}

// input returns the arguments of the resolver. Without a privacy the space is Private.
func (b createSpaceBody) input() model.CreateSpace {
	return model.CreateSpace{SpaceTextInput: b.SpaceTextInput, ResourceKey: b.ResourceKey, Type: b.SpaceType}
}

// createSpace responds to POST /spaces with 201 and the id. It accepts the fields of
// createUserSpace at the top level of the body, and a privacy.
func (a *api) createSpace(w http.ResponseWriter, r *http.Request) error {
	object, err := a.body(w, r)
	if err != nil {
		return err
	}
	var body createSpaceBody
	var privacy privacyBody
	if err := unmarshal(object, "", &body, &privacy); err != nil {
		return err
	}
	in := body.input()
	in.Privacy = privacy.option()
	created, err := a.addSpace(r, in)
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, envelope{Status: statusOK, Data: created})
}

// addSpace creates the space and returns its view, for both routes.
func (a *api) addSpace(r *http.Request, in model.CreateSpace) (view.CreatedSpaceWithID, error) {
	space, err := a.resolver.Mutation().CreateSpace(r.Context(), in)
	if err != nil {
		return view.CreatedSpaceWithID{}, err
	}
	return view.NewCreatedSpace(a.resolver, space), nil
}

// updateSpaceBody has the fields of PUT /spaces/:spaceId that have a meaning for Portico;
// privacyBody has others. All other fields are stored in the data of the space. A nil field is not
// changed.
type updateSpaceBody struct {
	model.SpaceTextInput
	// Kept is here only to check its type. unknownFields reads it.
	Kept model.Object `json:"data"`
}

// updateSpace responds to PUT /spaces/:spaceId with the merged space.
func (a *api) updateSpace(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readUpdate(w, r)
	// A request with an invalid body counts too, as an update without a privacy.
	if err := cmp.Or(a.count(r, limit.UpdateSpaceOperation(change.Privacy != nil)), err); err != nil {
		return err
	}
	space, err := a.resolver.Mutation().UpdateSpace(r.Context(), change)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceRecord(a.resolver, space))
}

// readUpdate decodes the change of a space.
func (a *api) readUpdate(w http.ResponseWriter, r *http.Request) (model.UpdateSpace, error) {
	object, err := a.body(w, r)
	if err != nil {
		return model.UpdateSpace{}, err
	}
	var body updateSpaceBody
	var privacy privacyBody
	if err := unmarshal(object, "", &body, &privacy); err != nil {
		return model.UpdateSpace{}, err
	}
	return model.UpdateSpace{
		SpaceID: pathValue(r, "spaceId"), SpaceTextInput: body.SpaceTextInput,
		Privacy: privacy.option(), Data: unknownFields(object),
	}, nil
}

// unknownFields returns the fields of the client that are stored with a space: all except
// ownFields.
//
// Responses have these fields twice: at the top, and in the object "data". A client may send them
// in either. A field at the top overrides the field in "data": a client that sends a response back
// has changed the one at the top.
//
// PUT merges (requirements.md P16), so a field that is not sent stays, and null stores null.
func unknownFields(object model.Object) model.Object {
	kept, sent, own := map[string]json.RawMessage{}, object.Fields(), ownFields()
	for _, fields := range []map[string]json.RawMessage{model.Object(sent[view.KeptFields]).Fields(), sent} {
		for name, value := range fields {
			if !slices.Contains(own, name) {
				kept[name] = value
			}
		}
	}
	if len(kept) == 0 { // nil does not change the column
		return nil
	}
	return model.NewObject(kept)
}

// ownFields returns the names that unknownFields ignores: the fields of a space in responses, which
// a client may send back, and other names for the ids of a space and its owner.
func ownFields() []string {
	others := []string{"spaceId", "space_id", "roomPrivacy", "owner", "ownerId", "owner_id", "userId", "user_id", view.KeptFields}
	return slices.AppendSeq(others, maps.Keys(model.NewObject(view.Space{}).Fields()))
}

// deleteSpace handles DELETE /spaces/:spaceId.
func (a *api) deleteSpace(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.resolver.Mutation().DeleteSpace(r.Context(), pathValue(r, "spaceId")); err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: view.SpaceDeleted})
}
