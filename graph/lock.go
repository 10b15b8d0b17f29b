package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// LockSpace locks the content of a space of the caller for a while, so that only requests with the
// token of the lock can change it. The token distinguishes its holder from other editors of the
// same account.
//
// The caller renews the lock by sending its token. A token that holds no lock is not accepted as a
// new one: a client that chose its token could guess the token of another.
func (r Mutations) LockSpace(ctx context.Context, in model.LockSpace) (*model.LockedSpace, error) {
	space, err := r.access.OwnedSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	token := model.Deref(in.LockToken)
	if token == "" || space.Lock() == nil || space.LockToken != token { // clients do not choose tokens
		token = model.Token()
	}
	space, err = r.changeLock(ctx, in.SpaceID, token, func() (*model.Space, error) {
		return r.db.Spaces().AcquireSpaceLock(ctx, in, token)
	})
	if err != nil {
		return nil, err
	}
	return &model.LockedSpace{Space: space, LockToken: token}, nil
}

// UnlockSpace ends the lock of a space of the caller. Without force, only the holder of the lock
// may end it.
func (r Mutations) UnlockSpace(ctx context.Context, in model.UnlockSpace) (*model.Space, error) {
	if _, err := r.access.OwnedSpace(ctx, in.SpaceID); err != nil {
		return nil, err
	}
	token := model.Deref(in.LockToken)
	return r.changeLock(ctx, in.SpaceID, token, func() (*model.Space, error) {
		return r.db.Spaces().ReleaseSpaceLock(ctx, in.SpaceID, token, in.Force)
	})
}

// changeLock runs a statement that changes the lock, and returns the changed space. The statement
// returns nil if another editor has the lock; then changeLock returns the refusal.
//
// The statement is tried twice: between the first try and the read of the space the other lock may
// have ended, and the caller must not be refused with a lock that nobody has.
func (r *Resolver) changeLock(ctx context.Context, id, token string, statement func() (*model.Space, error)) (*model.Space, error) {
	space, err := statement()
	if err != nil || space != nil {
		return space, err
	}
	if space, err = r.db.Spaces().Space(ctx, id); err != nil { // it may have been deleted
		return nil, err
	}
	if err := space.LockRefusal(token); err != nil {
		return nil, err
	}
	// The lock of the other editor has ended in the meantime.
	if space, err = statement(); err == nil && space == nil {
		err = &model.Error{Code: model.CodeLocked, Message: "Another editor has just locked the space: try again later"}
	}
	return space, err
}

// lockEditableSpace locks and returns the row of a space until the transaction ends, and refuses a
// space that another editor has locked since access.EditableSpace. One change set of a space runs at a time:
// two could lock the entities in different orders, and deadlock.
func lockEditableSpace(ctx context.Context, tx *db.DB, id string) (*model.Space, error) {
	space, err := tx.Spaces().SpaceForUpdate(ctx, id)
	if err != nil {
		return nil, err
	}
	return space, space.LockRefusal(model.LockToken(ctx))
}
