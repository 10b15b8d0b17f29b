package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// Entity returns an entity of a space that the caller may read.
func (r queryFields) Entity(ctx context.Context, spaceID *string, entityID string) (*model.Entity, error) {
	space, entity, err := entityIDs(spaceID, entityID)
	if err != nil {
		return nil, err
	}
	return r.core.Access().ReadableEntity(ctx, space, entity)
}

// ReadURL returns an address at which the caller can read the entity's file now.
func (r entityFields) ReadURL(ctx context.Context, entity *model.Entity) (*string, error) {
	return r.core.EntityReadURL(ctx, entity), nil
}

// CreateEntity creates an entity, or updates the entity that has its id.
func (r mutationFields) CreateEntity(ctx context.Context, in model.CreateEntity) (created *model.CreatedEntity, err error) {
	if in.SpaceID, err = model.OwnID(model.NodeSpace, "spaceId", in.SpaceID); err != nil {
		return nil, err
	}
	if err := decodeFileID(&in.ResourceKey); err != nil {
		return nil, err
	}
	return r.core.Mutation().CreateEntity(model.WithLockToken(ctx, model.Deref(in.LockToken)), in)
}

// UpdateEntity merges fields into the data of an entity.
func (r mutationFields) UpdateEntity(ctx context.Context, in schema.UpdateEntityInput) (*schema.UpdateEntityPayload, error) {
	space, entity, err := entityIDs(in.SpaceID, in.EntityID)
	if err != nil {
		return nil, err
	}
	ctx = model.WithLockToken(ctx, model.Deref(in.LockToken))
	updated, err := r.core.Mutation().UpdateEntity(ctx, model.UpdateEntity{
		SpaceID: space, EntityID: entity, Data: in.Data, ExpectedVersion: in.ExpectedVersion,
	})
	if err != nil {
		return nil, err
	}
	return &schema.UpdateEntityPayload{Entity: updated}, nil
}

// DeleteEntity is the mutation deleteEntity; see Mutations.DeleteEntity.
func (r mutationFields) DeleteEntity(ctx context.Context, in schema.DeleteEntityInput) (*schema.DeleteEntityPayload, error) {
	space, entity, err := entityIDs(in.SpaceID, in.EntityID)
	if err != nil {
		return nil, err
	}
	ctx = model.WithLockToken(ctx, model.Deref(in.LockToken))
	if _, err := r.core.Mutation().DeleteEntity(ctx, space, entity); err != nil {
		return nil, err
	}
	deleted := model.Entity{SpaceID: space, EntityID: entity}
	return &schema.DeleteEntityPayload{DeletedEntityID: deleted.NodeID()}, nil
}
