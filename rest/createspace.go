package rest

import (
	"net/http"

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

// createdSpaceView is the answer to POST /user/create-space.
type createdSpaceView struct {
	SpaceURL  string          `json:"space_url"`
	Title     string          `json:"title"`
	SpaceType model.SpaceType `json:"space_type"`
	// Warning says why the space will show nothing; left out where it will.
	Warning *string `json:"warning,omitempty"`
}

func viewCreatedSpace(s *model.Space, address string) createdSpaceView {
	return createdSpaceView{SpaceURL: address, Title: s.Title, SpaceType: s.Type, Warning: s.Warning}
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
	space, address, err := a.makeSpace(r, body.input())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{
		Status: statusOK, Message: messageSpaceCreated, Data: viewCreatedSpace(space, address),
	})
}

// makeSpace makes the space and returns it with its address.
func (a *api) makeSpace(r *http.Request, in model.CreateSpace) (*model.Space, string, error) {
	space, err := a.resolver.Mutation().CreateSpace(r.Context(), in)
	if err != nil {
		return nil, "", err
	}
	return space, a.resolver.SpaceURL(space), nil
}

// addedSpaceView is the answer to POST /spaces.
type addedSpaceView struct {
	SpaceID string `json:"spaceId"`
	createdSpaceView
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
	space, address, err := a.makeSpace(r, in)
	if err != nil {
		return err
	}
	view := viewCreatedSpace(space, address)
	return respond(w, http.StatusCreated, envelope{Status: statusOK, Data: addedSpaceView{space.ID, view}})
}
