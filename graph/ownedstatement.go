package graph

import (
	"context"

	"portico/model"
)

// asOwner runs a statement on an entity that checks the owner of its space by itself,
// which saves the most frequent operations a round trip. The check is owns as SQL, which is
// written once, in db/entity.go (ownedSpace). statement reports whether it found the entity.
// If it did not, asOwner returns the refusal of ownedSpace, then invalid, the refusal of
// the other arguments, or false without an error: the space is the caller's, and the entity
// needs another statement or does not exist.
func (r *Resolver) asOwner(
	ctx context.Context, spaceID string, invalid error, statement func(ownerID string) (found bool, err error),
) (found bool, err error) {
	space, err := r.runOwned(ctx, spaceID, invalid, statement)
	return err == nil && space == nil, err
}

// asEditor is asOwner for a statement that finds nothing in a locked space (db.unlocked), and
// then returns the refusal of editableSpace.
func (r *Resolver) asEditor(
	ctx context.Context, spaceID string, invalid error, statement func(ownerID string) (found bool, err error),
) (found bool, err error) {
	space, err := r.runOwned(ctx, spaceID, invalid, statement)
	if err != nil || space == nil {
		return err == nil, err
	}
	return false, space.LockRefusal(model.LockToken(ctx))
}

// runOwned runs a statement that checks the owner of the space, and the key of an unconfirmed
// caller, by itself. If the statement finds nothing, runOwned returns the caller's space, or the
// refusal that explains why.
func (r *Resolver) runOwned(
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
