package graph

import (
	"context"
	"time"

	"portico/model"
)

// tryAsOwner runs a statement on an entity that also checks the owner of the space. This saves the
// most frequent operations a round trip. The SQL form of owns is ownedSpace in db/owner.go.
//
// The statement reports whether it found the entity; done is true then. If not, tryAsOwner returns
// the refusal of ownedSpace, or invalid, which is the refusal of the other arguments. done is false
// without an error if the space is the caller's: the entity does not exist, or needs another
// statement.
//
// The refusals come in the order of the API, although the statement runs first: 401, 404, 403, then
// 400.
func (r *Resolver) tryAsOwner(
	ctx context.Context, spaceID string, invalid error, statement func(ownerID string) (found bool, err error),
) (done bool, err error) {
	space, err := r.tryOwned(ctx, spaceID, invalid, statement)
	return err == nil && space == nil, err
}

// maxRelease is the longest time between the release of a lock, which is the time of the start of
// the statement, and its commit. It is a generous guess: a longer time costs one more statement of
// the requests that find nothing soon after a lock has ended.
const maxRelease = 10 * time.Second

// tryAsEditor is tryAsOwner for a statement that finds nothing in a locked space (editableSpace in
// db/owner.go). It also returns the refusal of a locked space.
//
// The space is read after the statement. If the lock that refused the statement has expired or was
// released in between, the statement is tried again.
func (r *Resolver) tryAsEditor(
	ctx context.Context, spaceID string, invalid error, statement func(ownerID string) (found bool, err error),
) (done bool, err error) {
	started := time.Now()
	space, err := r.tryOwned(ctx, spaceID, invalid, statement)
	if err == nil && space != nil && space.Lock() == nil &&
		space.LockedUntil.Add(time.Since(started)+maxRelease).After(space.ReadAt.Time) {
		space, err = r.tryOwned(ctx, spaceID, invalid, statement)
	}
	if err != nil || space == nil {
		return err == nil, err
	}
	return false, space.LockRefusal(model.LockToken(ctx))
}

// tryOwned runs a statement that also checks the owner of the space and the key of an unconfirmed
// caller. It returns nil if the statement finds the entity, and otherwise the caller's space, or
// the refusal that explains why nothing was found.
//
// A statement that found something has changed it already, so nothing may be refused after it:
// invalid input is refused before.
func (r *Resolver) tryOwned(
	ctx context.Context, spaceID string, invalid error, statement func(ownerID string) (found bool, err error),
) (*model.Space, error) {
	c, err := unconfirmedCaller(ctx)
	if err != nil {
		return nil, err
	}
	if invalid == nil && isPrintableASCII(spaceID) {
		if found, err := statement(c.UserID); err != nil || found {
			return nil, err
		}
	}
	space, err := r.ownedSpace(ctx, spaceID)
	if err == nil {
		err = invalid
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}
