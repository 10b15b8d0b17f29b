package graph

import (
	"context"

	"portico/model"
)

// LockSpace lets the caller alone change what stands in a space of theirs, for a while. The
// token of the lock distinguishes its holder from other editors of the same account.
func (r Mutations) LockSpace(ctx context.Context, in model.LockSpace) (*model.LockedSpace, error) {
	space, err := r.ownedSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	token := deref(in.LockToken)
	if token == "" || space.Lock() == nil || space.LockToken != token { // a token is never the client's choice
		token = model.Token()
	}
	space, err = r.heldSpace(ctx, in.SpaceID, token, func() (*model.Space, error) {
		return r.DB.HoldSpace(ctx, in.SpaceID, in.Lock(), token)
	})
	if err != nil {
		return nil, err
	}
	return &model.LockedSpace{Space: space, LockToken: token}, nil
}

// UnlockSpace ends the lock of a space of the caller. Without force, only the holder may.
func (r Mutations) UnlockSpace(ctx context.Context, in model.UnlockSpace) (*model.Space, error) {
	if _, err := r.ownedSpace(ctx, in.SpaceID); err != nil {
		return nil, err
	}
	token := deref(in.LockToken)
	return r.heldSpace(ctx, in.SpaceID, token, func() (*model.Space, error) {
		return r.DB.ReleaseSpace(ctx, in.SpaceID, token, in.Force)
	})
}

// heldSpace returns the space that the statement changed, or why it found none.
func (r *Resolver) heldSpace(ctx context.Context, id, token string, statement func() (*model.Space, error)) (*model.Space, error) {
	space, err := statement()
	if err != nil || space != nil {
		return space, err
	}
	if space, err = r.DB.Space(ctx, id); err != nil { // deleted meanwhile
		return nil, err
	}
	if err := space.LockRefusal(token); err != nil {
		return nil, err
	}
	// The other lock has ended in between.
	if space, err = statement(); err == nil && space == nil {
		err = &model.Error{Code: model.CodeLocked, Message: "Another editor has just locked the space: try again later"}
	}
	return space, err
}
