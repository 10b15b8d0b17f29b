package graph

import (
	"context"
	"maps"
	"slices"
	"strings"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// The refusals whose text the API leaves to us.
const (
	notSignedIn    = "Invalid or expired API key"
	spaceForbidden = "You are not authorized to access this space"
)

// caller returns the account that makes the request. The doors refuse requests without
// a key before they call a resolver; a resolver that is called directly refuses again.
func caller(ctx context.Context) (*model.Caller, error) {
	c, err := unconfirmedCaller(ctx)
	if err == nil {
		err = c.Confirm(ctx)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// unconfirmedCaller is caller for a resolver whose first statement checks the key
// (model.NewUnconfirmedCaller).
func unconfirmedCaller(ctx context.Context) (*model.Caller, error) {
	if c := model.CallerFrom(ctx); c != nil {
		return c, nil
	}
	return nil, &model.Error{Code: model.CodeUnauthenticated, Message: notSignedIn}
}

// owns reports whether the space is the caller's. Nil is nobody.
func owns(c *model.Caller, space *model.Space) bool { return c != nil && space.OwnerID == c.UserID }

// ownerOf returns the id of the owner of a space, with which the id of the space begins (API
// section 1). Neither changes.
func ownerOf(spaceID string) string {
	owner, _, _ := strings.Cut(spaceID, "_")
	return owner
}

// ownsFile reports whether the file is the caller's. Nil is nobody.
func ownsFile(c *model.Caller, file *model.File) bool { return c != nil && file.UserID == c.UserID }

// ownsKey reports whether the caller owns the object in the store, whose key begins with the
// id of its owner and a slash. Nil is nobody.
func ownsKey(c *model.Caller, key string) bool {
	owner, _, _ := strings.Cut(key, "/")
	return c != nil && owner == c.UserID
}

// isSelf reports whether the account is the caller's own.
func isSelf(ctx context.Context, user *model.Profile) bool {
	c := model.CallerFrom(ctx)
	return c != nil && c.UserID == user.ID
}

// mayRead reports whether the caller may read the space: everybody may, also without a
// key, unless it is Private. Knowing the id of a Link Only space means having its link (API
// section 2, Privacy options).
func mayRead(c *model.Caller, space *model.Space) bool {
	return owns(c, space) || space.Privacy != model.Private
}

// runsPlugins reports whether the plugins of a space that the caller may read run for the
// caller. They are programs of the owner, who decides whether visitors run them.
func runsPlugins(c *model.Caller, space *model.Space) bool {
	return owns(c, space) || space.PluginsForVisitors
}

// operator returns the right of the caller to operate the server. A person has it who is signed
// in with an account that the command line made an operator. The right is read for each
// operation, so that it ends at once. A key never has it: programs get the key by OAuth.
func (r *Resolver) operator(ctx context.Context) (*model.Operator, error) {
	c, err := browserCaller(ctx)
	if err != nil {
		return nil, err
	}
	is, err := r.DB.IsOperator(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	if !is {
		return nil, model.Forbidden("Only an operator of the server may do this")
	}
	return &model.Operator{UserID: c.UserID}, nil
}

// checkMayOperate refuses an account that an operator may not disable or delete: operators cannot
// lock out each other or themselves. The command line can.
func (r *Resolver) checkMayOperate(ctx context.Context, id string) error {
	if !isPrintableASCII(id) {
		return model.NotFound(model.UserNotFound)
	}
	account, err := r.DB.Account(ctx, id)
	if err == nil && account.Operator {
		err = model.Forbidden("This is the account of an operator: take the right away on the command line first")
	}
	return err
}

// ownedSpace returns the caller's space: the access that changing a space, or reading
// an entity by its id, requires.
func (r *Resolver) ownedSpace(ctx context.Context, id string) (*model.Space, error) {
	return r.authorizedSpace(ctx, id, owns, spaceForbidden)
}

// readableSpace returns a space that the caller may read: the access of a visitor.
func (r *Resolver) readableSpace(ctx context.Context, id string) (*model.Space, error) {
	return r.authorizedSpace(ctx, id, mayRead, spaceForbidden)
}

// visibleSpace is readableSpace that needs no caller for a Public or Link Only space
// (contract, Read without a key). REST and MCP need a key for every space.
func (r *Resolver) visibleSpace(ctx context.Context, id string) (*model.Space, error) {
	if model.CallerFrom(ctx) != nil {
		return r.readableSpace(ctx, id)
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	space, err := r.DB.Space(ctx, id)
	if err == nil && space.Privacy == model.Private {
		_, err = caller(ctx)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// linkedSpace returns a space that everybody may open who has its link, also without a key.
// A Private space is not found, for its owner too: what is behind a link must not depend on
// who looks.
func (r *Resolver) linkedSpace(ctx context.Context, id string) (*model.Space, error) {
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	space, err := r.DB.Space(ctx, id)
	if err == nil && !mayRead(nil, space) {
		err = model.NotFound(model.SpaceNotFound)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// authorizedSpace returns the space. It refuses a request without a caller (401), an
// unknown space (404, for everybody: contract, Entities) and a caller who is not allowed
// to use the space (403, with the text forbidden), in this order.
func (r *Resolver) authorizedSpace(
	ctx context.Context, id string, allowed func(*model.Caller, *model.Space) bool, forbidden string,
) (*model.Space, error) {
	c, err := unconfirmedCaller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	space, err := r.DB.Space(ctx, id)
	if err != nil {
		return nil, err
	}
	if !allowed(c, space) {
		return nil, model.Forbidden(forbidden)
	}
	return space, nil
}

// editableSpace is ownedSpace that refuses a space which another editor has locked.
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

// lockEditableSpace locks the row of a space until the transaction ends, and refuses a space
// that another editor has locked since editableSpace looked. One change set of a space runs at
// a time: two at once could lock its entities in different orders, and deadlock.
func lockEditableSpace(ctx context.Context, tx *db.DB, id string) error {
	space, err := tx.SpaceForUpdate(ctx, id)
	if err != nil {
		return err
	}
	return space.LockRefusal(model.LockToken(ctx))
}

// ownedJob returns the caller's job. A job of another user is not found, rather than
// forbidden: the ids of jobs are private.
func (r *Resolver) ownedJob(ctx context.Context, id string) (*model.Job, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if !isPrintableASCII(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	job, err := r.DB.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if job.UserID != c.UserID {
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
	// Not isPrintableASCII: a resource key contains the name of a file, in any script.
	if storage.CheckKey(resourceKey) != nil {
		return nil, model.NotFound(model.FileNotFound)
	}
	return r.DB.FileOf(ctx, c.UserID, resourceKey)
}

// ownedFilesByKey returns the caller's files with these resource keys, by key. It leaves out keys
// of other accounts' files.
func (r *Resolver) ownedFilesByKey(ctx context.Context, keys []string) (map[string]*model.File, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	files, err := r.DB.FilesByKey(ctx, slices.DeleteFunc(keys, func(key string) bool { return storage.CheckKey(key) != nil }))
	maps.DeleteFunc(files, func(_ string, file *model.File) bool { return file.UserID != c.UserID })
	return files, err
}

// ownedUpload returns the caller's upload that has this address. An upload of another
// user is not found, and neither is an address of another server.
func (r *Resolver) ownedUpload(ctx context.Context, address string) (*model.Upload, error) {
	c, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if id, ok := strings.CutPrefix(address, r.resumableURL("")); ok {
		return r.resumableUpload(ctx, id)
	}
	// A key in the store starts with its owner's id. The upload address and the
	// public address have the same key.
	key, ok := r.Store.KeyOf(address)
	if !ok || !ownsKey(c, key) {
		return nil, model.NotFound(model.UploadNotFound)
	}
	_, resourceKey, _ := strings.Cut(key, "/")
	return r.DB.UploadOf(ctx, c.UserID, resourceKey)
}

// isPrintableASCII reports whether a text is printable ASCII, as all our ids except resource keys
// are. Postgres cannot even read some of the others, such as a NUL character.
func isPrintableASCII(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
