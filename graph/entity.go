package graph

import (
	"context"

	"portico/model"
)

// Entity returns an entity of a space of the caller.
func (r queryResolver) Entity(ctx context.Context, spaceID, entityID string) (*model.Entity, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if plain(spaceID) && plain(entityID) {
		entity, err := r.DB.OwnedEntity(ctx, c.UserID, spaceID, entityID)
		if err != nil || entity != nil {
			return entity, err
		}
	}
	// Which of the reasons there are, in their order.
	if _, err := r.ownedSpace(ctx, spaceID); err != nil {
		return nil, err
	}
	if !plain(entityID) {
		return nil, model.NotFound(model.EntityNotFound)
	}
	return r.DB.Entity(ctx, spaceID, entityID)
}

// OwnedEntities returns a page of the entities of a space of the caller. It is the
// list of the doors whose entity operations need ownership (API section 1), where
// the field Space.entities is for every reader of the space.
func (r *Resolver) OwnedEntities(ctx context.Context, spaceID string, first *int, after *string) (*model.EntityConnection, error) {
	space, err := r.ownedSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	return r.entities(ctx, space, model.PageArgs{Limit: first, Cursor: deref(after)})
}

// entities returns a page of the entities of a space that the caller may read.
func (r *Resolver) entities(ctx context.Context, space *model.Space, args model.PageArgs) (*model.EntityConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return r.DB.Entities(ctx, space.ID, page)
}

// CreateEntity makes an entity, or updates the one that has its id. Over the
// defaults of its file lies what was sent, and over that the address of the file
// (contract, Entities).
func (r mutationResolver) CreateEntity(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	invalid := in.Validate()
	if invalid == nil && plain(in.SpaceID) && in.IsPlain() {
		setType := in.Type != nil && deref(in.EntityID) != model.RoomInfoID
		stored, created, err := r.DB.PutOwnedEntity(ctx, c.UserID, in.Entity(nil), setType)
		if err != nil {
			return nil, err
		}
		if stored != nil {
			return &model.CreatedEntity{Entity: stored, Created: created}, nil
		}
	}
	if _, err := r.ownedSpace(ctx, in.SpaceID); err != nil {
		return nil, err
	}
	if invalid != nil {
		return nil, invalid
	}
	file, err := r.shownFile(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	if file != nil {
		// It comes last: what is sent does not change which file is shown.
		in.Data = in.Data.With(r.glbURL(file))
	}
	created, err := r.putAny(ctx, in, file)
	if err == nil && file != nil {
		created.Warning = file.Warning()
	}
	return created, err
}

// putAny makes or updates an entity by the rules of its type.
func (r *Resolver) putAny(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	// A static gate is known by its id as well: with none of its own in the way,
	// a client could put something else in the slot.
	switch {
	case in.IsStaticGate():
		return r.putStaticGate(ctx, in)
	case deref(in.Type) == model.TypeDynamicGate:
		return r.putDynamicGate(ctx, in, file)
	}
	return r.putEntity(ctx, in, file)
}

// putEntity makes or updates an entity that is no gate, in one statement, so that
// of many at once one makes it. The one that has its id may be a gate all the
// same: without a type it is updated as such.
func (r *Resolver) putEntity(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	entity := in.Entity(file)
	// What shows a file is a UserModelEntity from then on; RoomInfo stays what it is.
	setType := (in.Type != nil || file != nil) && entity.EntityID != model.RoomInfoID
	stored, created, err := r.DB.PutEntity(ctx, entity, in.Data.OrEmpty(), setType)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return &model.CreatedEntity{Entity: stored, Created: created}, nil
	}
	if in.Type != nil {
		return nil, model.Invalidf("entity_type cannot be changed: the entity is a gate")
	}
	return updated(r.mergeGate(ctx, in.Update(), ""))
}

// updated is the answer for an entity that was there.
func updated(entity *model.Entity, err error) (*model.CreatedEntity, error) {
	if err != nil {
		return nil, err
	}
	return &model.CreatedEntity{Entity: entity}, nil
}

// UpdateEntity lays fields over the data of an entity.
func (r mutationResolver) UpdateEntity(ctx context.Context, in model.UpdateEntity) (*model.Entity, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	invalid := in.Validate()
	if invalid == nil && plain(in.SpaceID) && plain(in.EntityID) {
		entity, err := r.DB.MergeOwnedEntity(ctx, c.UserID, in)
		if err != nil || entity != nil {
			return entity, err
		}
	}
	if _, err := r.ownedSpace(ctx, in.SpaceID); err != nil {
		return nil, err
	}
	if invalid != nil {
		return nil, invalid
	}
	if !plain(in.EntityID) {
		return nil, model.NotFound(model.EntityNotFound)
	}
	// Most entities are no gates and need no transaction.
	entity, err := r.DB.MergeEntity(ctx, in, false)
	if err != nil || entity != nil {
		return entity, err
	}
	return r.mergeGate(ctx, in, "")
}

// DeleteEntity deletes an entity and returns its id. A static gate can be deleted
// too, though it never comes back (API section 4).
func (r mutationResolver) DeleteEntity(ctx context.Context, spaceID, entityID string) (string, error) {
	c, err := caller(ctx)
	if err != nil {
		return "", err
	}
	if plain(spaceID) && plain(entityID) && entityID != model.RoomInfoID {
		found, err := r.DB.DeleteOwnedEntity(ctx, c.UserID, spaceID, entityID)
		if err != nil || found {
			return entityID, err
		}
	}
	if _, err := r.ownedSpace(ctx, spaceID); err != nil {
		return "", err
	}
	if !plain(entityID) {
		return "", model.NotFound(model.EntityNotFound)
	}
	if entityID == model.RoomInfoID {
		return "", model.Invalidf("entity_id: RoomInfo cannot be deleted")
	}
	found, err := r.DB.DeleteEntity(ctx, spaceID, entityID)
	if err == nil && !found {
		err = model.NotFound(model.EntityNotFound)
	}
	return entityID, err
}
