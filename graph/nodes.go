package graph

import (
	"context"
	"maps"
	"slices"

	"portico/model"
	"portico/storage"
)

// visibleUsers returns the accounts with these ids that exist, by id: visibleUser for many.
func (r *Resolver) visibleUsers(ctx context.Context, ids []string) (map[string]*model.Profile, error) {
	return r.DB.Profiles(ctx, printable(ids), viewerID(ctx))
}

// readableSpaces returns the spaces with these ids that visibleSpace returns, by id.
func (r *Resolver) readableSpaces(ctx context.Context, ids []string) (map[string]*model.Space, error) {
	spaces, err := r.DB.SpacesByID(ctx, printable(ids))
	c := model.CallerFrom(ctx)
	maps.DeleteFunc(spaces, func(_ string, space *model.Space) bool { return !mayRead(c, space) })
	return spaces, err
}

// readableEntities returns the entities that readableEntity returns, by the ids of their
// spaces and their own: "space/entity".
func (r *Resolver) readableEntities(ctx context.Context, ids []string) (map[string]*model.Entity, error) {
	entities, spaces, err := r.DB.EntitiesWithSpaces(ctx, printable(ids))
	c := model.CallerFrom(ctx)
	maps.DeleteFunc(entities, func(_ string, entity *model.Entity) bool { return !mayRead(c, spaces[entity.SpaceID]) })
	return entities, err
}

// ownFiles returns the caller's files with these resource keys: ownedFile for many.
func (r *Resolver) ownFiles(ctx context.Context, keys []string) (map[string]*model.File, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return storage.CheckKey(key) != nil })
	c := model.CallerFrom(ctx)
	if c == nil {
		return nil, nil
	}
	files, err := r.DB.FilesByKey(ctx, keys)
	maps.DeleteFunc(files, func(_ string, file *model.File) bool { return !ownsFile(c, file) })
	return files, err
}

// printable returns the ids that Postgres can read.
func printable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isPrintableASCII(id) })
}
