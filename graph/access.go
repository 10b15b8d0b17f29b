package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"portico/model"
	"portico/storage"
)

// spaceForbidden is the text for a caller who may not use a space: the API leaves it to us.
const spaceForbidden = "You are not authorized to access this space"

// isCaller reports whether the account is the caller's own. It returns false for a nil caller. Every
// space, file, job and webhook has the id of its account, so this comparison decides who owns it.
func isCaller(c *model.Caller, userID string) bool { return c != nil && c.UserID == userID }

// owns reports whether the caller owns the space. db/owner.go repeats the rule as SQL, which saves
// the most frequent operations a round trip: CONTRIBUTING.md, Shape, lists all forms. Change them
// together: tests compare them with one table, internal/testkit/access.
func owns(c *model.Caller, space *model.Space) bool { return isCaller(c, space.OwnerID) }

// ownerOf returns the id of the owner of a space: the first part of the id of the space (API
// section 1). A space keeps its owner. An id without an underscore is returned unchanged. No
// account has such an id.
func ownerOf(spaceID string) string {
	owner, _, _ := strings.Cut(spaceID, "_")
	return owner
}

// ownedKey returns the resource key of an object in the store, whose key is the id of its owner, a
// slash and the resource key. It returns "" if the object is not the account's.
func ownedKey(userID, key string) string {
	if owner, resourceKey, _ := strings.Cut(key, "/"); owner == userID {
		return resourceKey
	}
	return ""
}

// ofOwnAccount returns what read returns for the account, if it is the caller's own, and the zero
// value for other accounts. It decides for each field that only the account itself may read.
func ofOwnAccount[T any](ctx context.Context, id string, read func(context.Context, string) (T, error)) (value T, err error) {
	if !isCaller(model.CallerFrom(ctx), id) {
		return value, nil
	}
	return read(ctx, id)
}

// mayRead reports whether the caller may read the space: everybody may, even without a key, unless
// it is Private. Anyone who knows the id of a Link Only space has its link (API section 2, Privacy
// options). Everything that a space contains follows its space: entities, the files that they show,
// its visitors and its pictures.
func mayRead(c *model.Caller, space *model.Space) bool {
	return owns(c, space) || space.Privacy != model.Private
}

// runsPlugins reports whether pages run the plugins of a space for the caller, who may read the
// space. Plugins are programs of the owner, who decides whether visitors run them.
func runsPlugins(c *model.Caller, space *model.Space) bool {
	return owns(c, space) || space.PluginsForVisitors
}

// ownedSpace returns the caller's space. Changing a space, and reading an entity by its id over
// REST and MCP, require it.
func (r *Resolver) ownedSpace(ctx context.Context, id string) (*model.Space, error) {
	return r.authorizedSpace(ctx, id, owns, spaceForbidden)
}

// readableSpaceWithKey returns a space that the caller may read. It refuses a request without a
// caller, even for a Public space: REST and MCP need a key for a space, except for a shared one
// (linkedSpace).
func (r *Resolver) readableSpaceWithKey(ctx context.Context, id string) (*model.Space, error) {
	return r.authorizedSpace(ctx, id, mayRead, spaceForbidden)
}

// readableSpace returns a space that the caller, or everybody, may read. GraphQL and the pages call
// it: a Public or Link Only space needs no caller there.
//
// For a Private space an anonymous caller gets 401, because signing in may help; another account
// gets 403.
func (r *Resolver) readableSpace(ctx context.Context, id string) (*model.Space, error) {
	if model.CallerFrom(ctx) != nil {
		return r.readableSpaceWithKey(ctx, id)
	}
	space, err := r.space(ctx, id)
	if err == nil && space.Privacy == model.Private {
		_, err = caller(ctx)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// linkedSpace returns a space for everybody who has its link, even without a key. A Private space
// is not found, even for its owner: the response for a link does not depend on who asks.
func (r *Resolver) linkedSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.space(ctx, id)
	if err == nil && !mayRead(nil, space) {
		err = model.NotFound(model.SpaceNotFound)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// authorizedSpace returns the space. It refuses a request without a caller (401), then an
// unknown space (404, for everybody), then a caller who may not use the space (403, with the text
// forbidden). The API sets this order.
func (r *Resolver) authorizedSpace(
	ctx context.Context, id string, allowed func(*model.Caller, *model.Space) bool, forbidden string,
) (*model.Space, error) {
	c, err := uncheckedCaller(ctx)
	if err != nil {
		return nil, err
	}
	space, err := r.space(ctx, id) // which checks the key: with a revoked one it finds no space
	if err != nil {
		return nil, err
	}
	if !allowed(c, space) {
		return nil, model.Forbidden(forbidden)
	}
	return space, nil
}

// space returns the space with this id. It checks no rights.
//
// An id that is not printable ASCII belongs to no space, and Postgres fails on some such texts.
func (r *Resolver) space(ctx context.Context, id string) (*model.Space, error) {
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	return r.db.Spaces().Space(ctx, id)
}

// editableSpace is ownedSpace, but refuses a space that another editor has locked. The lock is read
// without FOR UPDATE, so a caller that writes in a transaction checks it again there.
func (r *Resolver) editableSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.ownedSpace(ctx, id)
	if err == nil {
		err = space.LockRefusal(model.LockToken(ctx))
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// ownedJob returns the caller's job. A job of another user is not found instead of forbidden:
// the ids of jobs are private.
func (r *Resolver) ownedJob(ctx context.Context, id string) (*model.Job, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	job, err := r.db.Jobs().Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if !isCaller(c, job.UserID) {
		return nil, model.NotFound(model.JobNotFound)
	}
	return job, nil
}

// ownedFile returns the caller's file. A file of another user is not found.
func (r *Resolver) ownedFile(ctx context.Context, resourceKey string) (*model.File, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	// A resource key contains the name of a file, so it may have letters of any script.
	if storage.CheckKey(resourceKey) != nil {
		return nil, model.NotFound(model.FileNotFound)
	}
	return r.db.Files().FileOf(ctx, c.UserID, resourceKey)
}

// ownedFilesByKey returns the caller's files with these resource keys, by key: ownedFile for many.
// It leaves out files of other accounts, keys that no file can have, and keys of files that do not
// exist. Compare the result with the keys.
func (r *Resolver) ownedFilesByKey(ctx context.Context, keys []string) (map[string]*model.File, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	valid := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return storage.CheckKey(key) != nil })
	files, err := r.db.Files().FilesByKey(ctx, valid)
	maps.DeleteFunc(files, func(_ string, file *model.File) bool { return !isCaller(c, file.UserID) })
	return files, err
}

// ownedUpload returns the caller's upload that the input names by its address. It validates the
// input first, because an input without an address names no upload. An upload of another user is
// not found, and neither is an address of another server.
//
// A client names its upload by the address that it sent the bytes to (API section 4,
// upload-complete): without its query, or the address of a resumable upload.
func (r *Resolver) ownedUpload(ctx context.Context, in model.CompleteUpload) (*model.Upload, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	address := in.FileURL
	if id, ok := strings.CutPrefix(address, r.resumableURL("")); ok {
		return r.ownedResumable(ctx, id)
	}
	// The address for the upload and the public address of the file have the same key.
	key, _ := r.store.KeyOf(address)
	resourceKey := ownedKey(c.UserID, key)
	if resourceKey == "" {
		return nil, model.NotFound(model.UploadNotFound)
	}
	return r.db.Uploads().UploadOf(ctx, c.UserID, resourceKey)
}

// ownedWebhook returns the caller's webhook. A webhook of another user is not found.
func (r *Resolver) ownedWebhook(ctx context.Context, id string) (*model.Webhook, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.WebhookNotFound)
	}
	return r.db.Webhooks().Webhook(ctx, c.UserID, id)
}

// ownedAvatar returns the caller's avatar. An avatar of another user is not found.
func (r *Resolver) ownedAvatar(ctx context.Context, id string) (*model.Avatar, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.AvatarNotFound)
	}
	return r.db.Accounts().Avatar(ctx, c.UserID, id)
}

// ownedResumable returns the caller's resumable upload. An upload of another user is not
// found.
func (r *Resolver) ownedResumable(ctx context.Context, id string) (*model.Upload, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.UploadNotFound)
	}
	return r.db.Uploads().ResumableUpload(ctx, c.UserID, id)
}

// readableSpaces is readableSpace for many ids. It returns the spaces by id, without those that the
// caller may not read.
func (r *Resolver) readableSpaces(ctx context.Context, ids []string) (map[string]*model.Space, error) {
	spaces, err := r.db.Spaces().SpacesByID(ctx, printableIDs(ids))
	c := model.CallerFrom(ctx)
	maps.DeleteFunc(spaces, func(_ string, space *model.Space) bool { return !mayRead(c, space) })
	return spaces, err
}

// readableEntities is readableEntity for many ids, each with the id of its space:
// "space/entity". It leaves out the entities that the caller may not read.
func (r *Resolver) readableEntities(ctx context.Context, ids []string) (map[string]*model.Entity, error) {
	entities, spaces, err := r.db.Entities().EntitiesWithSpaces(ctx, printableIDs(ids))
	c := model.CallerFrom(ctx)
	maps.DeleteFunc(entities, func(_ string, entity *model.Entity) bool { return !mayRead(c, spaces[entity.SpaceID]) })
	return entities, err
}

// readableEntity returns an entity of a space that the caller, or everybody, may read. One
// statement reads the entity with what mayRead needs of its space. Where it finds nothing to show,
// readableSpace returns the refusal.
//
// It is one round trip for most requests. The refusal of the space comes before the refusal of the
// entity, as the API requires.
func (r *Resolver) readableEntity(ctx context.Context, spaceID, entityID string) (*model.Entity, error) {
	invalid := checkFindable(entityID)
	if invalid == nil && isPrintableASCII(spaceID) {
		entity, space, err := r.db.Entities().EntityWithSpace(ctx, spaceID, entityID)
		if err != nil || entity != nil && mayRead(model.CallerFrom(ctx), space) {
			return entity, err
		}
	}
	if _, err := r.readableSpace(ctx, spaceID); err != nil {
		return nil, err
	}
	return nil, cmp.Or(invalid, error(model.NotFound(model.EntityNotFound)))
}
