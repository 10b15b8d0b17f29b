package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// messageSpaceCreated is a message that the specification requires without giving its text.
const messageSpaceCreated = "Space created"

// viewer handles GET /user/me. Clients call it to check a key, and to see how much storage is free
// before an upload.
func (a *api) viewer(w http.ResponseWriter, r *http.Request) error {
	user, err := a.resolver.Query().Viewer(r.Context())
	if err != nil {
		return err
	}
	account, err := view.NewUser(r.Context(), a.resolver, user)
	if err != nil {
		return err
	}
	return respondOK(w, account)
}

// spaceDataField is the field that contains the other fields in the examples of the specification,
// but not in its list of parameters. createUserSpace accepts both forms.
const spaceDataField = "space_data"

// createUserSpace responds to POST /user/create-space with 200 and, instead of the id, an address
// that ends with the id (API section 4, Spaces).
func (a *api) createUserSpace(w http.ResponseWriter, r *http.Request) error {
	object, err := a.body(w, r)
	if err != nil {
		return err
	}
	parent := "" // for the names of fields in errors, such as space_data.title
	if wrapped := object.Fields()[spaceDataField]; wrapped != nil && string(wrapped) != "null" {
		object, parent = model.Object(wrapped), spaceDataField
	}
	var body createSpaceBody
	if err := unmarshal(object, parent, &body); err != nil {
		return err
	}
	created, err := a.addSpace(r, body.input())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{
		Status: statusOK, Message: messageSpaceCreated, Data: created.CreatedSpace,
	})
}
