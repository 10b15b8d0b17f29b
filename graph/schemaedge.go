package graph

import (
	"context"

	"portico/model"
)

// Owner returns the account that owns the space.
func (r spaceFields) Owner(ctx context.Context, space *model.Space) (*model.Profile, error) {
	return loadField(ctx, space, "owner", func(ctx context.Context, spaces []*model.Space) (map[*model.Space]*model.Profile, error) {
		return loadByKey(spaces, func(space *model.Space) string { return space.OwnerID }, func(ids []string) (map[string]*model.Profile, error) {
			return r.core.DB.Profiles(ctx, ids, viewerID(ctx))
		})
	})
}

// Space returns the space of the entity. It checks no rights: the caller has the entity, and so may
// read its space.
func (r entityFields) Space(ctx context.Context, entity *model.Entity) (*model.Space, error) {
	return loadField(ctx, entity, "space", func(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.Space, error) {
		return loadByKey(entities, func(entity *model.Entity) string { return entity.SpaceID }, func(ids []string) (map[string]*model.Space, error) {
			return r.core.DB.SpacesByID(ctx, ids)
		})
	})
}

// File returns the file that the entity shows; nil for none. A space shows only files of its owner:
// an entity with the address of another account's file has no file.
func (r entityFields) File(ctx context.Context, entity *model.Entity) (*model.File, error) {
	return loadField(ctx, entity, "file", func(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.File, error) {
		keys := map[*model.Entity]string{}
		for _, entity := range entities {
			key, _ := r.core.Store.KeyOf(entity.Data.GLBURL())
			if resourceKey := ownedKey(ownerOf(entity.SpaceID), key); resourceKey != "" {
				keys[entity] = resourceKey
			}
		}
		return filesByKey(ctx, r.core, keys)
	})
}

// File returns the result of the job; nil until the job is completed, and after the file is
// deleted.
func (r jobFields) File(ctx context.Context, job *model.Job) (*model.File, error) {
	return loadField(ctx, job, "file", func(ctx context.Context, jobs []*model.Job) (map[*model.Job]*model.File, error) {
		keys := map[*model.Job]string{}
		for _, job := range jobs {
			if job.ResultKey != "" {
				keys[job] = job.ResultKey
			}
		}
		return filesByKey(ctx, r.core, keys)
	})
}

// filesByKey returns the files with the resource keys of rows, which exist.
func filesByKey[T any](ctx context.Context, core *Resolver, keys map[*T]string) (map[*T]*model.File, error) {
	files := make(map[*T]*model.File, len(keys))
	if len(keys) == 0 {
		return files, nil
	}
	list := make([]string, 0, len(keys))
	for _, key := range keys {
		list = append(list, key)
	}
	found, err := core.DB.FilesByKey(ctx, list)
	for row, key := range keys {
		if file := found[key]; file != nil {
			files[row] = file
		}
	}
	return files, err
}

// UsedBy returns a page of the entities of the caller's spaces that show the file.
func (r fileFields) UsedBy(
	ctx context.Context, file *model.File, first *int, after *string, last *int, before *string,
) (*model.EntityConnection, error) {
	args := connection(ctx, first, after, last, before)
	return loadField(ctx, file, fieldKey("usedBy", args), func(ctx context.Context, files []*model.File) (map[*model.File]*model.EntityConnection, error) {
		return r.core.entitiesThatShow(ctx, files, args)
	})
}

// entitiesThatShow returns a page of the entities that show each file, in the caller's spaces: an
// empty page for a file of another account.
func (r *Resolver) entitiesThatShow(ctx context.Context, files []*model.File, args pager) (map[*model.File]*model.EntityConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	c, owner := model.CallerFrom(ctx), viewerID(ctx)
	address := func(file *model.File) string {
		if !ownsFile(c, file) {
			return "" // no entity shows an empty address
		}
		return r.FileURL(file)
	}
	return loadByKey(files, address, func(addresses []string) (map[string]*model.EntityConnection, error) {
		return r.DB.EntitiesThatShow(ctx, owner, addresses, page)
	})
}
