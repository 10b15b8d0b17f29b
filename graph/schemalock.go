package graph

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// LockSpace locks a space for an editor.
func (r mutationFields) LockSpace(ctx context.Context, in model.LockSpace) (locked *model.LockedSpace, err error) {
	if in.SpaceID, err = model.OwnID(model.NodeSpace, "spaceId", in.SpaceID); err != nil {
		return nil, err
	}
	return r.core.Mutation().LockSpace(ctx, in)
}

// UnlockSpace ends the lock of a space.
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
