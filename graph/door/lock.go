package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// LockSpace locks the content of a space of the caller, or renews the lock whose token the input
// has.
func (r mutationFields) LockSpace(ctx context.Context, in model.LockSpace) (locked *model.LockedSpace, err error) {
	if in.SpaceID, err = model.OwnID(model.NodeSpace, "spaceId", in.SpaceID); err != nil {
		return nil, err
	}
	return r.core.Mutation().LockSpace(ctx, in)
}

// UnlockSpace ends the lock of a space of the caller. It needs the token of the lock, or Force.
func (r mutationFields) UnlockSpace(ctx context.Context, in model.UnlockSpace) (*schema.UnlockSpacePayload, error) {
	var err error
	if in.SpaceID, err = model.OwnID(model.NodeSpace, "spaceId", in.SpaceID); err != nil {
		return nil, err
	}
	space, err := r.core.Mutation().UnlockSpace(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.UnlockSpacePayload{Space: space}, nil
}
