package mcp

import (
	"context"
	"fmt"

	"portico/model"
)

// entityView is an entity that was changed (API section 4, Entities).
type entityView struct {
	EntityID   string       `json:"entity_id" jsonschema:"The entity's id, its own within the space."`
	EntityType string       `json:"entity_type" jsonschema:"UserModelEntity (made from a file), Simple, Gate (static), DynamicGate, or a type of a client's own."`
	EntityData model.Object `json:"entity_data" jsonschema:"What the entity is: position, rotation, scale, glbUrl, content of a gate, and fields of clients' own."`
}

func (v entityView) summary() string { return fmt.Sprintf("Entity %s (%s)", v.EntityID, v.EntityType) }

// entityRecord is an entity that is read.
type entityRecord struct {
	entityView
	EntityState model.Object `json:"entity_state" jsonschema:"What the runtime keeps of the entity; updates leave it alone."`
	CreatedDate model.Time   `json:"created_date" jsonschema:"When the entity was made."`
	ChangeDate  model.Time   `json:"change_date" jsonschema:"When the entity was last changed."`
}

func viewEntity(e *model.Entity) entityView {
	return entityView{EntityID: e.EntityID, EntityType: e.Type, EntityData: e.Data.OrEmpty()}
}

func viewEntityRecord(e *model.Entity) entityRecord {
	return entityRecord{
		entityView: viewEntity(e), EntityState: e.State.OrEmpty(), CreatedDate: e.CreatedAt, ChangeDate: e.ChangedAt,
	}
}

// listEntitiesInput asks for a page of entities.
type listEntitiesInput struct {
	spaceInput
	pageInput
}

// entityPage is one page of a space's entities.
type entityPage struct {
	Entities []entityRecord `json:"entities" jsonschema:"The entities of this page, oldest first."`
	pageView
}

func (p entityPage) summary() string { return fmt.Sprintf("%d of %d entities", p.Count, p.Total) }

// listEntities answers a page of the entities of the caller's own space.
func (d *door) listEntities(ctx context.Context, in listEntitiesInput) (entityPage, error) {
	found, err := d.Resolver.OwnedEntities(ctx, in.SpaceID, in.size(), in.Cursor)
	if err != nil {
		return entityPage{}, err
	}
	page := fit((*model.Connection[*model.Entity])(found), func(e *model.Entity) []string {
		return []string{string(e.Data), string(e.State)}
	})
	views := make([]entityRecord, len(page.Nodes))
	for i, entity := range page.Nodes {
		views[i] = viewEntityRecord(entity)
	}
	return entityPage{views, newPageView(len(views), page.TotalCount, page.PageInfo)}, nil
}

// entityInput names an entity.
type entityInput struct {
	spaceInput
	EntityID string `json:"entity_id" jsonschema:"The entity: entity_id of list_entities or create_entity, or the fixed id of a static gate."`
}

func (d *door) entity(ctx context.Context, in entityInput) (entityRecord, error) {
	entity, err := d.Resolver.Query().Entity(ctx, in.SpaceID, in.EntityID)
	if err != nil {
		return entityRecord{}, err
	}
	return viewEntityRecord(entity), nil
}

// createEntityInput is what an entity is made from.
type createEntityInput struct {
	spaceInput
	ResourceKey *string      `json:"resource_key,omitempty" jsonschema:"A file of this account, from an upload tool or a completed job, that the entity shows."`
	EntityID    *string      `json:"entity_id,omitempty" jsonschema:"An id of your own: 1 to 128 letters, digits, dots, underscores or hyphens, but neither . nor .. One that is taken updates that entity. Made unless told."`
	EntityType  *string      `json:"entity_type,omitempty" jsonschema:"UserModelEntity with a file and Simple without, unless told; DynamicGate for a gate. Gate cannot be created."`
	EntityData  model.Object `json:"entity_data,omitempty" jsonschema:"What the entity is, laid over the defaults of its file. A DynamicGate needs dynamicGate.position and .rotation."`
}

// createdEntity is the answer to create_entity.
type createdEntity struct {
	entityView
	Created bool    `json:"created" jsonschema:"False when an entity had the id already and was updated."`
	Warning *string `json:"warning,omitempty" jsonschema:"Why the entity will show nothing; left out where it will."`
}

func (d *door) createEntity(ctx context.Context, in createEntityInput) (createdEntity, error) {
	created, err := d.Resolver.Mutation().CreateEntity(ctx, model.CreateEntity{
		SpaceID: in.SpaceID, ResourceKey: in.ResourceKey, EntityID: in.EntityID, Type: in.EntityType, Data: in.EntityData,
	})
	if err != nil {
		return createdEntity{}, err
	}
	return createdEntity{viewEntity(created.Entity), created.Created, created.Warning}, nil
}

func (e createdEntity) summary() string { return e.entityView.summary() + warned(e.Warning) }

// updateEntityInput changes the data of an entity.
type updateEntityInput struct {
	entityInput
	EntityData model.Object `json:"entity_data" jsonschema:"The fields to change; those left out stay. Within dynamicGate it is by field again. null stores null. Empty strings clear a static gate."`
}

func (d *door) updateEntity(ctx context.Context, in updateEntityInput) (entityView, error) {
	entity, err := d.Resolver.Mutation().UpdateEntity(ctx, model.UpdateEntity{
		SpaceID: in.SpaceID, EntityID: in.EntityID, Data: in.EntityData,
	})
	if err != nil {
		return entityView{}, err
	}
	return viewEntity(entity), nil
}

func (d *door) deleteEntity(ctx context.Context, in entityInput) (messageView, error) {
	_, err := d.Resolver.Mutation().DeleteEntity(ctx, in.SpaceID, in.EntityID)
	return messageView{"Entity deleted"}, err
}
