package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

type entityOutput struct{ view.Entity }

func (o entityOutput) summary() string { return entitySummary(o.Entity) }

// entityRecordOutput also has the dates and the state, which the tools that change an entity do not
// return.
type entityRecordOutput struct{ view.EntityRecord }

func (o entityRecordOutput) summary() string { return entitySummary(o.Entity) }

func entitySummary(e view.Entity) string {
	return fmt.Sprintf("Entity %s (%s)", e.EntityID, e.EntityType)
}

type listEntitiesInput struct {
	spaceInput
	pageInput
}

type entityListOutput struct{ view.EntityList }

func (o entityListOutput) summary() string { return fmt.Sprintf("%d of %d entities", o.Count, o.Total) }

// ownedEntities returns a page of the entities of the caller's own space.
func (d *door) ownedEntities(ctx context.Context, in listEntitiesInput) (entityListOutput, error) {
	found, err := d.Resolver.Query().OwnedEntities(ctx, in.SpaceID, in.size(), in.Cursor)
	if err != nil {
		return entityListOutput{}, err
	}
	return entityListOutput{view.NewEntityList((*model.Connection[*model.Entity])(found))}, nil
}

type entityInput struct {
	spaceInput
	EntityID string `json:"entity_id" jsonschema:"The entity: entity_id of list_entities or create_entity, or the fixed id of a static gate."`
}

func (d *door) entity(ctx context.Context, in entityInput) (entityRecordOutput, error) {
	entity, err := d.Resolver.Query().Entity(ctx, in.SpaceID, in.EntityID)
	if err != nil {
		return entityRecordOutput{}, err
	}
	return entityRecordOutput{view.NewEntityRecord(entity)}, nil
}

type createEntityInput struct {
	spaceInput
	lockInput
	ResourceKey *string      `json:"resource_key,omitempty" jsonschema:"A file of this account, from an upload tool or a completed job, that the entity shows."`
	EntityID    *string      `json:"entity_id,omitempty" jsonschema:"An id of your own: 1 to 128 letters, digits, dots, underscores or hyphens, but neither . nor .. If an entity has this id, it is updated. By default a new id is generated."`
	EntityType  *string      `json:"entity_type,omitempty" jsonschema:"By default UserModelEntity with a file and Simple without; DynamicGate for a gate. Gate cannot be created."`
	EntityData  model.Object `json:"entity_data,omitempty" jsonschema:"The data of the entity, merged over the defaults of its file. A DynamicGate needs dynamicGate.position and .rotation."`
}

// createdEntityOutput has a field for what REST says with 201 or 200: a tool has no status.
type createdEntityOutput struct {
	view.CreatedEntity
	Created bool `json:"created" jsonschema:"False when an entity had the id already and was updated."`
}

func (o createdEntityOutput) summary() string {
	return entitySummary(o.Entity) + warningSuffix(o.Warning)
}

func (d *door) createEntity(ctx context.Context, in createEntityInput) (createdEntityOutput, error) {
	created, err := d.Resolver.Mutation().CreateEntity(in.context(ctx), model.CreateEntity{
		SpaceID: in.SpaceID, ResourceKey: in.ResourceKey, EntityID: in.EntityID, Type: in.EntityType, Data: in.EntityData,
	})
	if err != nil {
		return createdEntityOutput{}, err
	}
	return createdEntityOutput{
		CreatedEntity: view.CreatedEntity{Entity: view.NewEntity(created.Entity), Warning: created.Warning},
		Created:       created.Created,
	}, nil
}

type updateEntityInput struct {
	entityInput
	lockInput
	EntityData model.Object `json:"entity_data" jsonschema:"The fields to change; the others stay. The fields of dynamicGate are merged one by one too. null stores null. Empty strings clear a static gate."`
}

func (d *door) updateEntity(ctx context.Context, in updateEntityInput) (entityOutput, error) {
	entity, err := d.Resolver.Mutation().UpdateEntity(in.context(ctx), model.UpdateEntity{
		SpaceID: in.SpaceID, EntityID: in.EntityID, Data: in.EntityData,
	})
	if err != nil {
		return entityOutput{}, err
	}
	return entityOutput{view.NewEntity(entity)}, nil
}

type deleteEntityInput struct {
	entityInput
	lockInput
}

func (d *door) deleteEntity(ctx context.Context, in deleteEntityInput) (messageOutput, error) {
	_, err := d.Resolver.Mutation().DeleteEntity(in.context(ctx), in.SpaceID, in.EntityID)
	return newMessage(view.EntityDeleted), err
}
