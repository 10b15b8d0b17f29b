package rest

import (
	"net/http"

	"portico/model"
)

const messageEntityDeleted = "Entity deleted"

// entityView is the answer to a change of an entity (API section 4, Entities).
type entityView struct {
	EntityID   string `json:"entity_id"`
	EntityType string `json:"entity_type"`
	// EntityData goes out as it is stored: its numbers are not read on the way.
	EntityData model.Object `json:"entity_data"`
	// Warning says why a new entity will show nothing; left out where it will.
	Warning *string `json:"warning,omitempty"`
}

// entityRecordView is an entity that is read: with the state that the runtime
// keeps and clients cannot set, and the dates.
type entityRecordView struct {
	entityView
	EntityState model.Object `json:"entity_state"`
	CreatedDate model.Time   `json:"created_date"`
	ChangeDate  model.Time   `json:"change_date"`
}

// entityPageView is one page of a space's entities, in the order of their
// creation.
type entityPageView struct {
	Entities []entityRecordView `json:"entities"`
	pageView
}

func viewEntity(e *model.Entity) entityView {
	return entityView{EntityID: e.EntityID, EntityType: e.Type, EntityData: e.Data}
}

func viewEntityRecord(e *model.Entity) entityRecordView {
	return entityRecordView{
		entityView: viewEntity(e), EntityState: e.State.OrEmpty(), CreatedDate: e.CreatedAt, ChangeDate: e.ChangedAt,
	}
}

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
	created, err := a.resolver.Mutation().CreateEntity(r.Context(), model.CreateEntity{
		SpaceID: pathValue(r, "spaceId"), ResourceKey: body.ResourceKey,
		EntityID: body.EntityID, Type: body.EntityType, Data: body.EntityData,
	})
	if err != nil {
		return err
	}
	// 201 only for what was made: clients tell an update by it.
	status := http.StatusOK
	if created.Created {
		status = http.StatusCreated
	}
	view := viewEntity(created.Entity)
	view.Warning = created.Warning
	return respond(w, status, envelope{Status: statusOK, Data: view})
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
	views := make([]entityRecordView, len(page.Nodes))
	for i, entity := range page.Nodes {
		views[i] = viewEntityRecord(entity)
	}
	return respondOK(w, entityPageView{views, newPageView(len(views), page.TotalCount, page.PageInfo)})
}

// entity answers GET /spaces/:spaceId/entities/:entityId, for the internal
// RoomInfo too, which no list has.
func (a *api) entity(w http.ResponseWriter, r *http.Request) error {
	entity, err := a.resolver.Query().Entity(r.Context(), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, viewEntityRecord(entity))
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
	entity, err := a.resolver.Mutation().UpdateEntity(r.Context(), model.UpdateEntity{
		SpaceID: pathValue(r, "spaceId"), EntityID: pathValue(r, "entityId"), Data: body.EntityData,
	})
	if err != nil {
		return err
	}
	return respondOK(w, viewEntity(entity))
}

// deleteEntity answers DELETE /spaces/:spaceId/entities/:entityId. The message is
// inside data here (API section 4, Entities).
func (a *api) deleteEntity(w http.ResponseWriter, r *http.Request) error {
	_, err := a.resolver.Mutation().DeleteEntity(r.Context(), pathValue(r, "spaceId"), pathValue(r, "entityId"))
	if err != nil {
		return err
	}
	return respondOK(w, messageView{messageEntityDeleted})
}
