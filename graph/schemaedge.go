package graph

import (
	"context"
	"strings"

	"portico/model"
)

// Owner returns the account that owns the space.
func (r spaceFields) Owner(ctx context.Context, space *model.Space) (*model.Profile, error) {
	return ofRow(ctx, space, "owner", func(ctx context.Context, spaces []*model.Space) (map[*model.Space]*model.Profile, error) {
		return byRow(spaces, func(space *model.Space) string { return space.OwnerID }, func(ids []string) (map[string]*model.Profile, error) {
			return r.core.DB.Profiles(ctx, ids, viewerID(ctx))
		})
	})
}

// Space returns the space of the entity. It checks no rights: a caller who was given the
// entity may read its space.
func (r entityFields) Space(ctx context.Context, entity *model.Entity) (*model.Space, error) {
	return ofRow(ctx, entity, "space", func(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.Space, error) {
		return byRow(entities, func(entity *model.Entity) string { return entity.SpaceID }, func(ids []string) (map[string]*model.Space, error) {
			return r.core.DB.SpacesByID(ctx, ids)
		})
	})
}

// File returns the file that the entity shows; nil for none. A space shows the files of
// its owner alone: an entity with the address of another account's file has no file.
func (r entityFields) File(ctx context.Context, entity *model.Entity) (*model.File, error) {
	return ofRow(ctx, entity, "file", func(ctx context.Context, entities []*model.Entity) (map[*model.Entity]*model.File, error) {
		keys := map[*model.Entity]string{}
		for _, entity := range entities {
			key, _ := r.core.Store.KeyOf(entity.Data.GLBURL())
			ownerID, resourceKey, _ := strings.Cut(key, "/")
			if ownerID != "" && ownerID == ownerOf(entity.SpaceID) {
				keys[entity] = resourceKey
			}
		}
		return filesByKey(ctx, r.core, keys)
	})
}

// File returns the file that the job made; nil until the job is completed, and when the
// file was deleted.
func (r jobFields) File(ctx context.Context, job *model.Job) (*model.File, error) {
	return ofRow(ctx, job, "file", func(ctx context.Context, jobs []*model.Job) (map[*model.Job]*model.File, error) {
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
	args := connection(first, after, last, before)
	return ofRow(ctx, file, fieldOf("usedBy", args), func(ctx context.Context, files []*model.File) (map[*model.File]*model.EntityConnection, error) {
		return r.core.usersOf(ctx, files, args)
	})
}

// usersOf returns a page of the entities that show each file, in the caller's spaces: an
// empty page for a file of another account.
func (r *Resolver) usersOf(ctx context.Context, files []*model.File, args pager) (map[*model.File]*model.EntityConnection, error) {
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	c, owner := model.CallerFrom(ctx), viewerID(ctx)
	address := func(file *model.File) string {
		if !ownsFile(c, file) {
			return "" // which no entity shows
		}
		return r.FileURL(file)
	}
	return byRow(files, address, func(addresses []string) (map[string]*model.EntityConnection, error) {
		return r.DB.EntitiesThatShow(ctx, owner, addresses, page)
	})
}
