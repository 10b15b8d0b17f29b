package graph

import (
	"cmp"
	"context"

	"portico/db"
	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// Entity returns an entity of a space of the caller.
//
// RoomInfo can be read by its id, though no list has it.
func (r Queries) Entity(ctx context.Context, spaceID, entityID string) (*model.Entity, error) {
	invalid := access.CheckFindable(entityID)
	entity, err := access.TryAsOwner(ctx, r.access, spaceID, invalid, func(ownerID string) (*model.Entity, error) {
		return r.db.Entities().OwnedEntity(ctx, ownerID, spaceID, entityID)
	})
	if err == nil && entity == nil {
		err = model.NotFound(model.EntityNotFound)
	}
	return entity, err
}

// OwnedEntities returns a page of the entities of a space of the caller, for the doors
// whose entity operations require ownership (API section 1). The field Space.entities
// is for everybody who may read the space.
//
// An empty page, a page of large entities and a space of somebody else look the same to the
// statement, so access.TryAsOwner then reads the space.
func (r Queries) OwnedEntities(
	ctx context.Context, spaceID string, first *int, after *string,
) (*model.EntityConnection, error) {
	page, invalid := model.PageArgs{Limit: first, Cursor: model.Deref(after)}.Page()
	entities, err := access.TryAsOwner(ctx, r.access, spaceID, invalid, func(ownerID string) (*model.EntityConnection, error) {
		return r.db.Entities().OwnedEntities(ctx, ownerID, spaceID, page)
	})
	if err != nil || entities != nil {
		return entities, err
	}
	return r.db.Entities().EntitiesOfAnySize(ctx, spaceID, page)
}

// EntitiesOf returns a page of the entities of each space that pass the filter. It checks no
// rights: the caller has the spaces, and so may read their entities.
func (r *Resolver) EntitiesOf(
	ctx context.Context, spaces []*model.Space, filter model.EntityFilter, args model.Pager,
) (map[*model.Space]*model.EntityConnection, error) {
	if err := filter.Validate(); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	return batch.ByKey(spaces, func(space *model.Space) string { return space.ID },
		func(ids []string) (map[string]*model.EntityConnection, error) {
			return r.db.Entities().EntitiesOf(ctx, ids, filter, page)
		})
}

// CreateEntity creates an entity, or updates the entity that has its id. The sent fields
// override the defaults of its file, and the address of the file overrides both
// (docs/rest.md, Entities).
//
// A plain input is one statement that checks the owner and the lock: see putOwned in
// package db. A file or a gate needs other rows first, and so more round trips.
func (r Mutations) CreateEntity(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	size := func(created *model.CreatedEntity) int { return entityBytes(created.Entity) }
	return writeJSON(ctx, r.Resolver, size, func() (*model.CreatedEntity, error) { return r.createEntity(ctx, in) })
}

// createEntity is CreateEntity without the limit of written bytes.
func (r Mutations) createEntity(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	invalid := in.Validate()
	result, err := access.TryAsEditor(ctx, r.access, in.SpaceID, invalid, func(ownerID string) (*model.CreatedEntity, error) {
		if in.MustBeNew || !in.IsPlain() { // a file or a gate needs the checks below
			return nil, nil
		}
		return r.putOwnedEntity(ctx, ownerID, in, nil)
	})
	if err != nil || result != nil {
		return result, err
	}
	file, err := r.fileToShow(ctx, in.ResourceKey)
	if err != nil {
		return nil, err
	}
	if file != nil {
		in.Data = in.Data.With(r.shownFileData(file))
	}
	switch {
	case in.IsStaticGate(): // also by its id: no other entity may take the id of a deleted static gate
		result, err = r.mergeStaticGate(ctx, in)
	case in.MustBeNew:
		result, err = r.addOrRefuse(ctx, in, file)
	case model.Deref(in.Type) == model.TypeDynamicGate:
		result, err = r.putDynamicGate(ctx, in, file)
	default:
		result, err = r.putEntity(ctx, in, file)
	}
	if err == nil && file != nil {
		result.Warning = file.Warning()
	}
	return result, err
}

// The verbs of the functions that store an entity, here, in gate.go and in package db:
//
//	add    stores a new entity, and changes nothing if its id is taken
//	merge  merges fields into the data of an entity, and changes nothing if there is none
//	put    adds the entity, or merges into the entity that has its id
//
// Functions with Owned in their name run one statement that checks the owner of the space too.

// putOwnedEntity puts an entity that is not a gate. It is one statement, so of many simultaneous
// requests exactly one adds the entity. It returns nil when the owner has no such space, the space
// is locked, or the id belongs to a gate.
func (r *Resolver) putOwnedEntity(
	ctx context.Context, ownerID string, in model.CreateEntity, file *model.File,
) (*model.CreatedEntity, error) {
	entity := in.Entity(file)
	// sent is nil if it equals entity.Data, so that the JSON goes to Postgres once.
	var sent model.Object
	if file != nil { // the defaults of the file are for new entities only
		sent = in.Data.OrEmpty()
	}
	// An entity that shows a file becomes a UserModelEntity; RoomInfo keeps its type.
	setType := (in.Type != nil || file != nil) && entity.EntityID != model.RoomInfoID
	stored, created, err := r.db.Entities().PutOwnedEntity(ctx, ownerID, entity, sent, setType)
	if err != nil || stored == nil {
		return nil, err
	}
	return &model.CreatedEntity{Entity: stored, Created: created}, nil
}

// putUnlessGate is putOwnedEntity that returns nil only for the id of a gate. It refuses a space
// that has been deleted or locked since the first checks, and tries again after a lock that has
// just ended.
func (r *Resolver) putUnlessGate(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	return access.TryAsEditor(ctx, r.access, in.SpaceID, nil, func(ownerID string) (*model.CreatedEntity, error) {
		return r.putOwnedEntity(ctx, ownerID, in, file)
	})
}

// putEntity puts an entity. If the id belongs to a gate, it merges into the gate, and refuses any
// type: a gate keeps its type. If another request has deleted the gate in the meantime, it adds the
// entity.
func (r *Resolver) putEntity(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	result, err := r.putUnlessGate(ctx, in, file)
	if err != nil || result != nil {
		return result, err
	}
	if in.Type != nil {
		return nil, gateTypeFixed()
	}
	result, err = r.mergeCreation(ctx, in, "")
	if model.CodeOf(err) == model.CodeNotFound {
		return r.putAfterGate(ctx, in, file)
	}
	return result, err
}

// putAfterGate puts an entity whose id belonged to a gate until another request deleted the gate.
// It refuses an id that belongs to a gate again.
func (r *Resolver) putAfterGate(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	result, err := r.putUnlessGate(ctx, in, file)
	if err != nil || result != nil {
		return result, err
	}
	return nil, r.takenRefusal(ctx, in.SpaceID, model.Deref(in.EntityID))
}

// addOrRefuse adds an entity, and refuses an id that the space has already.
func (r *Resolver) addOrRefuse(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	entity := in.Entity(file)
	if model.Deref(in.Type) == model.TypeDynamicGate {
		if err := completeDynamicGate(entity); err != nil {
			return nil, err
		}
	}
	return r.addOr(ctx, entity, func() (*model.CreatedEntity, error) {
		return nil, r.takenRefusal(ctx, in.SpaceID, entity.EntityID)
	})
}

// maxAdditions is how many times addOr tries to add an entity.
const maxAdditions = 2

// addOr adds an entity, or returns the result of taken if the space has an entity with its id.
//
// If taken returns CodeNotFound, another request has deleted the entity in the meantime. The id is
// free then, so addOr tries once more: a creation must not end with "Entity not found" because of
// one deletion.
func (r *Resolver) addOr(ctx context.Context, entity *model.Entity, taken func() (*model.CreatedEntity, error)) (*model.CreatedEntity, error) {
	for attempt := 1; ; attempt++ {
		added, err := r.addEntity(ctx, entity)
		if err != nil {
			return nil, err
		}
		if added {
			return &model.CreatedEntity{Entity: entity, Created: true}, nil
		}
		result, err := taken()
		if model.CodeOf(err) != model.CodeNotFound || attempt == maxAdditions {
			return result, err
		}
	}
}

// addEntity adds an entity, and reports whether its id was free. It refuses a space that another
// editor has locked.
func (r *Resolver) addEntity(ctx context.Context, entity *model.Entity) (added bool, err error) {
	err = r.db.InTx(ctx, func(tx *db.DB) (err error) {
		if _, err := lockEditableSpace(ctx, tx, entity.SpaceID); err != nil {
			return err
		}
		added, err = tx.Entities().AddEntity(ctx, entity)
		return err
	})
	return added, err
}

// takenRefusal returns the refusal of an id that the space has already. The current entity is part
// of it, so a client can show what is there.
func (r *Resolver) takenRefusal(ctx context.Context, spaceID, entityID string) error {
	current, err := r.access.ReadableEntity(ctx, spaceID, entityID)
	if err != nil {
		return err
	}
	return model.Conflict(model.ReasonTaken, "The space already has an entity with this id", current).WithField("entity_id")
}

// UpdateEntity merges fields into the data of an entity.
//
// MergeOwnedEntity finds nothing for a gate, which mergeEntity updates, and for an entity of
// another version, which becomes a conflict with the current state. A read finds out which of them
// it is: mergeEntity locks the space, and editors who have lost would wait for each other in a busy
// space.
func (r Mutations) UpdateEntity(ctx context.Context, in model.UpdateEntity) (*model.Entity, error) {
	return writeJSON(ctx, r.Resolver, entityBytes, func() (*model.Entity, error) { return r.updateEntity(ctx, in) })
}

// updateEntity is UpdateEntity without the limit of written bytes.
func (r Mutations) updateEntity(ctx context.Context, in model.UpdateEntity) (*model.Entity, error) {
	invalid := cmp.Or(in.Validate(), access.CheckFindable(in.EntityID))
	entity, err := access.TryAsEditor(ctx, r.access, in.SpaceID, invalid, func(ownerID string) (*model.Entity, error) {
		return r.db.Entities().MergeOwnedEntity(ctx, ownerID, in)
	})
	if err != nil || entity != nil {
		return entity, err
	}
	if in.ExpectedVersion == nil {
		return r.mergeEntity(ctx, in, "")
	}
	current, err := r.access.ReadableEntity(ctx, in.SpaceID, in.EntityID)
	if err != nil {
		return nil, err
	}
	if current.Version == *in.ExpectedVersion {
		if entity, err = r.mergeEntity(ctx, in, ""); model.CodeOf(err) != model.CodeNotFound {
			return entity, err
		}
		// Another request has changed or deleted the gate in the meantime.
		if current, err = r.access.ReadableEntity(ctx, in.SpaceID, in.EntityID); err != nil {
			return nil, err
		}
	}
	return nil, model.Conflict(model.ReasonStale, "The entity has changed since it was read", current)
}

// DeleteEntity deletes an entity and returns its id. A static gate can be deleted too, but
// cannot be created again (API section 4).
func (r Mutations) DeleteEntity(ctx context.Context, spaceID, entityID string) (string, error) {
	invalid := access.CheckFindable(entityID)
	if entityID == model.RoomInfoID {
		invalid = model.Invalidf("entity_id: %s", model.RoomInfoNotDeletable).WithField("entity_id")
	}
	deleted, err := access.TryAsEditor(ctx, r.access, spaceID, invalid, func(ownerID string) (bool, error) {
		return r.db.Entities().DeleteOwnedEntity(ctx, ownerID, spaceID, entityID)
	})
	if err == nil && !deleted {
		err = model.NotFound(model.EntityNotFound)
	}
	return entityID, err
}
