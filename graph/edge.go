package graph

import (
	"context"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// OwnersOfSpaces returns the accounts that own the spaces, as the caller sees them.
func (r *Resolver) OwnersOfSpaces(ctx context.Context, spaces []*model.Space) (map[*model.Space]*model.Profile, error) {
	return batch.ByKey(spaces, func(space *model.Space) string { return space.OwnerID }, func(ids []string) (map[string]*model.Profile, error) {
		return r.db.Accounts().Profiles(ctx, ids, access.ViewerID(ctx))
	})
}

// SpacesOfEntities returns the space of each entity. It checks no rights: a caller who may read an
// entity may also read its space.
func (r *Resolver) SpacesOfEntities(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.Space, error) {
	return batch.ByKey(entities, func(entity *model.Entity) string { return entity.SpaceID }, func(ids []string) (map[string]*model.Space, error) {
		return r.db.Spaces().SpacesByID(ctx, ids)
	})
}

// FilesOfEntities returns the files that the entities show. A space shows only files of its owner:
// an entity with the address of another account's file has no file.
func (r *Resolver) FilesOfEntities(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.File, error) {
	keys := map[*model.Entity]string{}
	for _, entity := range entities {
		key, _ := r.store.KeyOf(entity.Data.GLBURL())
		if resourceKey := access.OwnedKey(access.OwnerOf(entity.SpaceID), key); resourceKey != "" {
			keys[entity] = resourceKey
		}
	}
	return filesByKey(ctx, r, keys)
}

// FilesOfJobs returns the results of the jobs. A job has none until it is completed, and after the
// file is deleted.
func (r *Resolver) FilesOfJobs(ctx context.Context, jobs []*model.Job) (map[*model.Job]*model.File, error) {
	keys := map[*model.Job]string{}
	for _, job := range jobs {
		if job.ResultKey != "" {
			keys[job] = job.ResultKey
		}
	}
	return filesByKey(ctx, r, keys)
}

// filesByKey returns the files that exist, given the resource key of each row.
func filesByKey[T any](ctx context.Context, r *Resolver, keys map[*T]string) (map[*T]*model.File, error) {
	files := make(map[*T]*model.File, len(keys))
	if len(keys) == 0 {
		return files, nil
	}
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, key)
	}
	found, err := r.db.Files().FilesByKey(ctx, list)
	for row, key := range keys {
		if file := found[key]; file != nil {
			files[row] = file
		}
	}
	return files, err
}

// EntitiesThatShow returns a page of the entities that show each file, in the caller's spaces: an
// empty page for a file of another account.
func (r *Resolver) EntitiesThatShow(ctx context.Context, files []*model.File, args model.Pager) (map[*model.File]*model.EntityConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	c, owner := model.CallerFrom(ctx), access.ViewerID(ctx)
	address := func(file *model.File) string {
		if !access.IsCaller(c, file.UserID) {
			return "" // no entity shows an empty address
		}
		return r.FileURL(file)
	}
	return batch.ByKey(files, address, func(addresses []string) (map[string]*model.EntityConnection, error) {
		return r.db.Entities().EntitiesThatShow(ctx, owner, addresses, page)
	})
}
