package door

import (
	"context"

	"portico/graph/batch"
	"portico/model"
)

// Owner returns the public profile of the account that owns the space. It reads the owners of all
// spaces of a page at once.
func (r spaceFields) Owner(ctx context.Context, space *model.Space) (*model.Profile, error) {
	return batch.Load(ctx, space, "owner", r.core.OwnersOfSpaces)
}

// Space returns the space of the entity. It reads the spaces of all entities of a page at once.
func (r entityFields) Space(ctx context.Context, entity *model.Entity) (*model.Space, error) {
	return batch.Load(ctx, entity, "space", r.core.SpacesOfEntities)
}

// File returns the file that the entity shows; nil for none.
func (r entityFields) File(ctx context.Context, entity *model.Entity) (*model.File, error) {
	return batch.Load(ctx, entity, "file", r.core.FilesOfEntities)
}

// File returns the result of the job; nil until the job is completed, and after the file is
// deleted.
func (r jobFields) File(ctx context.Context, job *model.Job) (*model.File, error) {
	return batch.Load(ctx, job, "file", r.core.FilesOfJobs)
}

// UsedBy returns a page of the entities of the caller's spaces that show the file.
func (r fileFields) UsedBy(
	ctx context.Context, file *model.File, first *int, after *string, last *int, before *string,
) (*model.EntityConnection, error) {
	args := connection(ctx, first, after, last, before)
	return batch.Load(ctx, file, batch.Key("usedBy", args), func(ctx context.Context, files []*model.File) (map[*model.File]*model.EntityConnection, error) {
		return r.core.EntitiesThatShow(ctx, files, args)
	})
}
