package door

import (
	"context"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/graph/schema"
	"portico/model"
)

// ViewerMayCopy reports whether the caller may copy the space, once signed in.
func (r spaceFields) ViewerMayCopy(ctx context.Context, space *model.Space) (bool, error) {
	return access.MayCopy(access.ReaderFrom(ctx), space), nil
}

// IsRemix reports whether the space is a copy of a space of another account.
func (r spaceFields) IsRemix(_ context.Context, space *model.Space) (bool, error) {
	return space.OriginID != "", nil
}

// Origin returns the space that the space is a remix of; nil if the caller cannot find it.
func (r spaceFields) Origin(ctx context.Context, space *model.Space) (*model.Space, error) {
	return batch.Load(ctx, space, "origin", r.core.Origins)
}

// DuplicateSpace copies a space.
func (r mutationFields) DuplicateSpace(ctx context.Context, in model.DuplicateSpace) (*schema.DuplicateSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	in.SpaceID = id
	space, err := r.core.Mutation().DuplicateSpace(ctx, in)
	if err != nil {
		return nil, err
	}
	return &schema.DuplicateSpacePayload{Space: space}, nil
}
