package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

const messageEntityDeleted = "Entity deleted"

// createEntityBody is the body of POST /spaces/:spaceId/entities; all of it may
// be left out.
type createEntityBody struct {
	// ResourceKey makes the entity from a file of the caller.
	ResourceKey *string `json:"resource_key"`
	// EntityID is made when it is left out.
	EntityID   *string `json:"entity_id"`
	EntityType *string `json:"entity_type"`
	// EntityData is laid over the defaults detected from the file.
	EntityData model.Object `json:"entity_data"`
}

// createEntity answers POST /spaces/:spaceId/entities: 201 for a new entity, 200
// for one that had the id (contract, Entities).
func (a *api) createEntity(w http.ResponseWriter, r *http.Request) error {
	var body createEntityBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	created, err := a.resolver.Mutation().CreateEntity(lockContext(r), model.CreateEntity{
		SpaceID: pathValue(r, "spaceId"), ResourceKey: body.ResourceKey,
		EntityID: body.EntityID, Type: body.EntityType, Data: body.EntityData,
	})
	if err != nil {
		return err
	}
	// 201 for a new entity only: clients recognise an update by the 200.
	status := http.StatusOK
	if created.Created {
		status = http.StatusCreated
	}
	return respond(w, status, envelope{
		Status: statusOK, Data: view.CreatedEntity{Entity: view.NewEntity(created.Entity), Warning: created.Warning},
	})
}

// entities answers GET /spaces/:spaceId/entities. The space is looked for first:
// a bad cursor in an unknown space is a 404, as a bad body would be.
func (a *api) entities(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.OwnedEntities(r.Context(), pathValue(r, "spaceId"), query.limit, query.cursor)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewEntityPage((*model.Connection[*model.Entity])(page)))
}

// entity answers GET /spaces/:spaceId/entities/:entityId, for the internal
// RoomInfo too, which no list has.
func (a *api) entity(w http.ResponseWriter, r *http.Request) error {
	entity, err := a.resolver.Query().Entity(r.Context(), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewEntityRecord(entity))
}

// updateEntityBody is the body of PUT .../entities/:entityId. Type and state are
// no part of it: an update keeps them.
type updateEntityBody struct {
	EntityData model.Object `json:"entity_data"`
}

// updateEntity answers PUT /spaces/:spaceId/entities/:entityId with the merged
// data. It is also how the static gates are filled and cleared.
func (a *api) updateEntity(w http.ResponseWriter, r *http.Request) error {
	var body updateEntityBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	entity, err := a.resolver.Mutation().UpdateEntity(lockContext(r), model.UpdateEntity{
		SpaceID: pathValue(r, "spaceId"), EntityID: pathValue(r, "entityId"), Data: body.EntityData,
	})
	if err != nil {
		return err
	}
	return respondOK(w, view.NewEntity(entity))
}

// deleteEntity answers DELETE /spaces/:spaceId/entities/:entityId. The message is
// inside data here (API section 4, Entities).
func (a *api) deleteEntity(w http.ResponseWriter, r *http.Request) error {
	_, err := a.resolver.Mutation().DeleteEntity(lockContext(r), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: messageEntityDeleted})
}
