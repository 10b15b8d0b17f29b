package access

import (
	"context"
	"time"

	"portico/model"
)

// TryAsOwner runs a statement on an entity that also checks the owner of the space. This saves the
// most frequent operations a round trip. The SQL form of Owns is ownedSpace in db/owner.go.
//
// The statement returns what it found, or the zero value of T for nothing. For nothing, TryAsOwner
// returns the refusal of OwnedSpace, or invalid, which is the refusal of the other arguments. The
// zero value without an error means that the space is the caller's: the entity does not exist, or
// needs another statement.
//
// The refusals come in the order of the API, although the statement runs first: 401, 404, 403, then
// 400.
func TryAsOwner[T comparable](
	ctx context.Context, r *Rules, spaceID string, invalid error, statement func(ownerID string) (T, error),
) (T, error) {
	found, _, err := tryOwned(ctx, r, spaceID, invalid, statement)
	return found, err
}

// maxRelease is the longest time between the release of a lock, which is the time of the start of
// the statement, and its commit. It is a generous guess: a longer time costs one more statement of
// the requests that find nothing soon after a lock has ended.
const maxRelease = 10 * time.Second

// TryAsEditor is TryAsOwner for a statement that finds nothing in a locked space (EditableSpace in
// db/owner.go). It also returns the refusal of a locked space.
//
// The space is read after the statement. If the lock that refused the statement has expired or was
// released in between, the statement is tried again.
func TryAsEditor[T comparable](
	ctx context.Context, r *Rules, spaceID string, invalid error, statement func(ownerID string) (T, error),
) (T, error) {
	started := time.Now()
	found, space, err := tryOwned(ctx, r, spaceID, invalid, statement)
	if space != nil && space.Lock() == nil &&
		space.LockedUntil.Add(time.Since(started)+maxRelease).After(space.ReadAt.Time) {
		found, space, err = tryOwned(ctx, r, spaceID, invalid, statement)
	}
	if space != nil {
		err = space.LockRefusal(model.LockToken(ctx))
	}
	return found, err
}

// tryOwned runs a statement that also checks the owner of the space. It returns what the statement
// found. For nothing, it returns the caller's space, or the refusal that explains why nothing was
// found.
//
// A statement that found something has changed it already, so nothing may be refused after it:
// invalid input is refused before.
func tryOwned[T comparable](
	ctx context.Context, r *Rules, spaceID string, invalid error, statement func(ownerID string) (T, error),
) (T, *model.Space, error) {
	var nothing T
	c, err := Caller(ctx)
	if err != nil {
		return nothing, nil, err
	}
	if invalid == nil && IsPrintableASCII(spaceID) {
		if found, err := statement(c.UserID); err != nil || found != nothing {
			return found, nil, err
		}
	}
	space, err := r.OwnedSpace(ctx, spaceID)
	if err == nil {
		err = invalid
	}
	if err != nil {
		return nothing, nil, err
	}
	return nothing, space, nil
}
