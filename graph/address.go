package graph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"portico/graph/access"
	"portico/model"
)

// SpaceURL returns the space's address for people; its id is the last segment.
func (r *Resolver) SpaceURL(space *model.Space) string {
	return r.settings.WebURL + "/" + space.ID
}

// FileURL returns the file's public address. It has no query and ends in the file's
// extension: clients recognise the format by it.
func (r *Resolver) FileURL(file *model.File) string {
	return r.store.PublicURL(file.StorageKey())
}

// FileReadURL returns an address at which the caller can read the file now.
func (r *Resolver) FileReadURL(ctx context.Context, file *model.File) string {
	return r.readURL(ctx, file.StorageKey())
}

// FileViewURL returns the address that a viewer should load, which the caller can read
// now.
func (r *Resolver) FileViewURL(ctx context.Context, file *model.File) string {
	return r.readURL(ctx, file.ViewStorageKey())
}

// FilePosters returns the picture of the file in each size, smallest first, with addresses
// that the caller can read now.
func (r *Resolver) FilePosters(ctx context.Context, file *model.File) []*model.Poster {
	return r.posters(ctx, file.UserID, file.Posters)
}

// posters returns the pictures of an owner's file, smallest first.
func (r *Resolver) posters(ctx context.Context, ownerID string, stored *model.Posters) []*model.Poster {
	posters := []*model.Poster{}
	if stored == nil {
		return posters
	}
	for _, picture := range stored.Sizes {
		posters = append(posters, &model.Poster{
			URL: r.readURL(ctx, ownerID+"/"+picture.Key), Width: picture.Width, Height: picture.Height,
		})
	}
	slices.SortFunc(posters, func(a, b *model.Poster) int { return cmp.Compare(a.Width, b.Width) })
	return posters
}

// FileTurntable returns the turntable of the file with an address that the caller can read now; nil
// while there is none.
func (r *Resolver) FileTurntable(ctx context.Context, file *model.File) *model.Turntable {
	return r.turntable(ctx, file.UserID, file.Posters)
}

func (r *Resolver) turntable(ctx context.Context, ownerID string, stored *model.Posters) *model.Turntable {
	if stored == nil || stored.Turntable == nil {
		return nil
	}
	made := stored.Turntable
	return &model.Turntable{URL: r.readURL(ctx, ownerID+"/"+made.Key), Width: made.Width, Height: made.Height, Frames: made.Frames}
}

// FilePosterURL returns the address of the file's poster, which the caller can read now;
// nil while there is no poster.
func (r *Resolver) FilePosterURL(ctx context.Context, file *model.File) *string {
	if file.PosterKey == "" {
		return nil
	}
	address := r.readURL(ctx, file.PosterStorageKey())
	return &address
}

// FileCollisionURL returns the address of the file's collision, which the caller can read now; nil
// while there is none. The address of the second object of the collision differs only in its last
// part.
func (r *Resolver) FileCollisionURL(ctx context.Context, file *model.File) *string {
	if file.CollisionKey == "" {
		return nil
	}
	address := r.readURL(ctx, file.CollisionStorageKey())
	return &address
}

// EntityReadURL returns an address at which the caller can read the entity's file now;
// nil for an entity that shows no file of this server.
func (r *Resolver) EntityReadURL(ctx context.Context, entity *model.Entity) *string {
	key, ok := r.store.KeyOf(entity.Data.GLBURL())
	if !ok {
		return nil
	}
	address := r.readURL(ctx, key)
	return &address
}

// JobURL returns the public address of the job's result; nil until the job is completed.
func (r *Resolver) JobURL(job *model.Job) *string {
	if job.ResultKey == "" {
		return nil
	}
	address := r.store.PublicURL(job.UserID + "/" + job.ResultKey)
	return &address
}

// readURL returns an address at which the caller can read the object: where files are protected, a
// signed address for the owner of the file and for who has share links of the owner; otherwise the
// public address.
func (r *Resolver) readURL(ctx context.Context, key string) string {
	owner, _, _ := strings.Cut(key, "/")
	reader := access.ReaderFrom(ctx)
	if access.IsCaller(reader.Caller, owner) {
		address, err := r.store.ReadURL(ctx, key)
		if err == nil {
			return address
		}
		model.LogFault(ctx, r.logger, err, "key", key)
	} else if links := reader.LinksOf(owner); len(links) > 0 {
		return r.store.LinkURL(key, links)
	}
	return r.store.PublicURL(key)
}
