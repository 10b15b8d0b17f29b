package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// spaceDataField is the wrapper that the usage examples of the specification
// show and its parameter list does not. Both bodies are taken.
const spaceDataField = "space_data"

// createSpaceBody is what a space is made from; all of it may be left out.
type createSpaceBody struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	// ResourceKey names a file of the caller, which becomes an entity of the
	// space and lends it its name.
	ResourceKey *string          `json:"resource_key"`
	SpaceType   *model.SpaceType `json:"space_type"`
}

// input returns the body as what createSpace takes; the space is Private.
func (b createSpaceBody) input() model.CreateSpace {
	return model.CreateSpace{Title: b.Title, Description: b.Description, ResourceKey: b.ResourceKey, Type: b.SpaceType}
}

// createSpace answers POST /user/create-space: 200 and no id beside the address,
// which ends with it (API section 4, Spaces).
func (a *api) createSpace(w http.ResponseWriter, r *http.Request) error {
	object, err := a.body(w, r)
	if err != nil {
		return err
	}
	parent := "" // errors name the field as it was sent: space_data.title
	if wrapped := object.Fields()[spaceDataField]; wrapped != nil && string(wrapped) != "null" {
		object, parent = model.Object(wrapped), spaceDataField
	}
	var body createSpaceBody
	if err := unmarshal(object, parent, &body); err != nil {
		return err
	}
	created, err := a.newSpace(r, body.input())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{
		Status: statusOK, Message: messageSpaceCreated, Data: created.CreatedSpace,
	})
}

// newSpace creates the space and returns its view.
func (a *api) newSpace(r *http.Request, in model.CreateSpace) (view.CreatedSpaceWithID, error) {
	space, err := a.resolver.Mutation().CreateSpace(r.Context(), in)
	if err != nil {
		return view.CreatedSpaceWithID{}, err
	}
	return view.NewCreatedSpace(a.resolver, space), nil
}

// addSpace answers POST /spaces: create-space without the wrapper, with privacy,
// and with the 201 of a resource that was made (contract, Spaces).
func (a *api) addSpace(w http.ResponseWriter, r *http.Request) error {
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
	created, err := a.newSpace(r, in)
	if err != nil {
		return err
	}
	return respond(w, http.StatusCreated, envelope{Status: statusOK, Data: created})
}
