package rest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"portico/graph/view"
	"portico/limit"
	"portico/model"
)

// Our texts, where the specification shows a message and not its words.
const (
	messageSpaceCreated   = "Space created"
	messageSpaceDeleted   = "Space deleted"
	messageFileDeleted    = "File deleted"
	messagePrivacyUpdated = "Space privacy updated"
)

// spaces answers GET /spaces.
func (a *api) spaces(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().Spaces(r.Context(), query.search, query.limit, query.cursor)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpacePage(a.resolver, (*model.Connection[*model.Space])(page)))
}

// space answers GET /spaces/:spaceId, to the owner and, unless it is Private, to
// visitors, whose visit it counts. What stands in it is the owner's.
func (a *api) space(w http.ResponseWriter, r *http.Request) error {
	space, err := a.resolver.Query().Space(r.Context(), pathValue(r, "spaceId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceRecord(a.resolver, space))
}

// spaceDataField is the wrapper that the usage examples of the specification
// show and its parameter list does not. Both bodies are taken.
const spaceDataField = "space_data"

// createSpaceBody holds the fields of a new space, all of them optional.
type createSpaceBody struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	// ResourceKey names a file of the caller, which becomes an entity of the
	// space and lends it its name.
	ResourceKey *string          `json:"resource_key"`
	SpaceType   *model.SpaceType `json:"space_type"`
}

// input returns the arguments of the resolver. Without a privacy the space is Private.
func (b createSpaceBody) input() model.CreateSpace {
	return model.CreateSpace{Title: b.Title, Description: b.Description, ResourceKey: b.ResourceKey, Type: b.SpaceType}
}

// createSpace answers POST /spaces with 201 and the id. It takes the fields of
// createUserSpace without the wrapper, and the privacy (contract, Spaces).
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

// createUserSpace answers POST /user/create-space: 200, and an address that ends with the id
// in place of the id (API section 4, Spaces).
func (a *api) createUserSpace(w http.ResponseWriter, r *http.Request) error {
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
	created, err := a.addSpace(r, body.input())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{
		Status: statusOK, Message: messageSpaceCreated, Data: created.CreatedSpace,
	})
}

// addSpace creates the space and returns its view, for both routes.
func (a *api) addSpace(r *http.Request, in model.CreateSpace) (view.CreatedSpaceWithID, error) {
	space, err := a.resolver.Mutation().CreateSpace(r.Context(), in)
	if err != nil {
		return view.CreatedSpaceWithID{}, err
	}
	return view.NewCreatedSpace(a.resolver, space), nil
}

// updateSpaceBody holds the fields of PUT /spaces/:spaceId that Portico interprets;
// privacyBody adds its own. All others are kept in the space's data. A nil field is not changed.
type updateSpaceBody struct {
	Title       *string `json:"title"`
	Description *string `json:"description"`
	// Kept is read by unknownFields; here only its type is checked.
	Kept model.Object `json:"data"`
}

// updateSpace answers PUT /spaces/:spaceId with the merged space.
func (a *api) updateSpace(w http.ResponseWriter, r *http.Request) error {
	change, err := a.readUpdate(w, r)
	operation := "updateSpace"
	if err == nil && change.Privacy != nil {
		operation = limit.PrivacyChange
	}
	// A body that cannot be read counts as well.
	if err := cmp.Or(a.take(r, operation), err); err != nil {
		return err
	}
	space, err := a.resolver.Mutation().UpdateSpace(r.Context(), change)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewSpaceRecord(a.resolver, space))
}

// readUpdate reads what a request changes of a space.
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
		SpaceID: pathValue(r, "spaceId"), Title: body.Title, Description: body.Description,
		Privacy: privacy.option(), Data: unknownFields(object),
	}, nil
}

// unknownFields returns the fields of a client that are kept with a space: all except its
// own fields and its identity.
//
// Answers carry the kept fields in the object "data" too, so a client may send them there.
// A field beside it wins: the client that sends back what it read has changed that one.
func unknownFields(object model.Object) model.Object {
	kept, sent := map[string]json.RawMessage{}, object.Fields()
	for _, fields := range []map[string]json.RawMessage{model.Object(sent[view.KeptFields]).Fields(), sent} {
		for name, value := range fields {
			if !slices.Contains(ownFields(), name) {
				kept[name] = value
			}
		}
	}
	if len(kept) == 0 { // nil leaves the column alone
		return nil
	}
	return model.NewObject(kept)
}

// ownFields are those that a client sends back when it has read a space, and
// other names of a space and its owner. They are ignored, not kept.
func ownFields() []string {
	return []string{
		"id", "spaceId", "space_id", "title", "description", "space_type", "privacy", "roomPrivacy",
		"space_url", "visitCount", "createdDate", "changeDate",
		"owner", "ownerId", "owner_id", "userId", "user_id", view.KeptFields,
	}
}

// deleteSpace answers DELETE /spaces/:spaceId; its entities go with it.
func (a *api) deleteSpace(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.resolver.Mutation().DeleteSpace(r.Context(), pathValue(r, "spaceId")); err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: messageSpaceDeleted})
}
