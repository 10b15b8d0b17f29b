package graph

import (
	"context"
	"strings"

	"portico/model"
	"portico/storage"
)

// The texts of refusals that the API leaves to us.
const (
	notSignedIn    = "Invalid or expired API key"
	spaceForbidden = "You are not authorized to access this space"
)

// caller returns who asks. The doors refuse requests without a key before they
// call a resolver; a resolver that is called all the same refuses again.
func caller(ctx context.Context) (*model.Caller, error) {
	if c := model.CallerFrom(ctx); c != nil {
		return c, nil
	}
	return nil, &model.Error{Code: model.CodeUnauthenticated, Message: notSignedIn}
}

// ownedSpace returns the space if it is there (404) and the caller's (403), in
// this order.
func (r *Resolver) ownedSpace(ctx context.Context, id string) (*model.Space, error) {
	return r.ownedSpaceOr(ctx, id, spaceForbidden)
}

// ownedSpaceOr is ownedSpace with the text that the API fixes for a refusal.
func (r *Resolver) ownedSpaceOr(ctx context.Context, id, forbidden string) (*model.Space, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !plain(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	// Read before the owner is looked at: an unknown space is 404 for everybody
	// (contract, Entities).
	space, err := r.DB.Space(ctx, id)
	if err != nil {
		return nil, err
	}
	if space.OwnerID != c.UserID {
		return nil, model.Forbidden(forbidden)
	}
	return space, nil
}

// readableSpace returns the space if it is there (404) and the caller may read it
// (403). It is what a visitor has to do with a space: to change it, or to read an
// entity by its id, takes ownedSpace.
func (r *Resolver) readableSpace(ctx context.Context, id string) (*model.Space, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !plain(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	space, err := r.DB.Space(ctx, id)
	if err != nil {
		return nil, err
	}
	if !readable(space, c) {
		return nil, model.Forbidden(spaceForbidden)
	}
	return space, nil
}

// readable tells whether the caller may read the space: its owner always, others
// unless it is Private. Who knows the id of one that is Link Only has its link
// (API section 2, Privacy options).
func readable(space *model.Space, c *model.Caller) bool {
	return space.OwnerID == c.UserID || space.Privacy != model.Private
}

// ownedJob returns the caller's job; another user's does not exist.
func (r *Resolver) ownedJob(ctx context.Context, id string) (*model.Job, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !plain(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	job, err := r.DB.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	// Not 403: ids of jobs are nobody else's business.
	if job.UserID != c.UserID {
		return nil, model.NotFound(model.JobNotFound)
	}
	return job, nil
}

// ownedFile returns the caller's file; another user's does not exist.
func (r *Resolver) ownedFile(ctx context.Context, resourceKey string) (*model.File, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	// A resource key carries the name of a file, which may be of any script.
	if storage.CheckKey(resourceKey) != nil {
		return nil, model.NotFound(model.FileNotFound)
	}
	return r.DB.FileOf(ctx, c.UserID, resourceKey)
}

// ownedUpload returns the caller's upload that the address was given out for.
// Another user's does not exist, and neither does an address of another server.
func (r *Resolver) ownedUpload(ctx context.Context, address string) (*model.Upload, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	// A key in the store begins with its owner's id, and is the same under the
	// upload address and the public one.
	key, ok := r.Store.KeyOf(address)
	userID, resourceKey, _ := strings.Cut(key, "/")
	if !ok || userID != c.UserID {
		return nil, model.NotFound(model.UploadNotFound)
	}
	return r.DB.UploadOf(ctx, c.UserID, resourceKey)
}

// plain tells whether a text can be an id at all: all of ours but resource keys
// are printable ASCII. What is not never reaches the database, which could not even read it.
func plain(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
