package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// createEntityBody is the body of POST /spaces/:spaceId/entities. All fields are optional.
type createEntityBody struct {
	// ResourceKey is the file of the caller that the entity shows.
	ResourceKey *string `json:"resource_key"`
	// EntityID is by default a new id.
	EntityID   *string `json:"entity_id"`
	EntityType *string `json:"entity_type"`
	// EntityData overrides the defaults of the file.
	EntityData model.Object `json:"entity_data"`
}

// createEntity handles POST /spaces/:spaceId/entities: 201 for a new entity, 200 for an update of
// the entity with the id. Clients distinguish the two by the status.
//
// It carries out API section 4, Entities. The order of what overrides what is in
// graph.CreateEntity.
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
	status := http.StatusOK
	if created.Created {
		status = http.StatusCreated
	}
	return respond(w, status, envelope{
		Status: statusOK, Data: view.CreatedEntity{Entity: view.NewEntity(created.Entity), Warning: created.Warning},
	})
}

// ownedEntities handles GET /spaces/:spaceId/entities.
func (a *api) ownedEntities(w http.ResponseWriter, r *http.Request) error {
	query, err := parsePage(r)
	if err != nil {
		return err
	}
	page, err := a.resolver.Query().OwnedEntities(r.Context(), pathValue(r, "spaceId"), query.limit, query.cursor)
	if err != nil {
		return err
	}
	return respondOK(w, view.NewEntityList((*model.Connection[*model.Entity])(page)))
}

// entity handles GET /spaces/:spaceId/entities/:entityId, including RoomInfo, which lists leave
// out.
func (a *api) entity(w http.ResponseWriter, r *http.Request) error {
	entity, err := a.resolver.Query().Entity(r.Context(), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewEntityRecord(entity))
}

// updateEntityBody is the body of PUT /spaces/:spaceId/entities/:entityId. An update keeps the type
// and the state of the entity.
type updateEntityBody struct {
	EntityData model.Object `json:"entity_data"`
}

// updateEntity responds to PUT /spaces/:spaceId/entities/:entityId with the merged data. Clients
// also set and clear static gates with it.
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

// deleteEntity responds to DELETE /spaces/:spaceId/entities/:entityId, with the message in data
// (API section 4, Entities).
func (a *api) deleteEntity(w http.ResponseWriter, r *http.Request) error {
	_, err := a.resolver.Mutation().DeleteEntity(lockContext(r), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: view.EntityDeleted})
}
