package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// SpaceVersions returns a page of the history of a space.
func (r queryFields) SpaceVersions(
	ctx context.Context, spaceID string, first *int, after *string, last *int, before *string,
) (*model.SpaceVersionConnection, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", spaceID)
	if err != nil {
		return nil, err
	}
	return r.core.Query().SpaceVersions(ctx, id, connection(ctx, first, after, last, before))
}

// SpaceStatistics returns what came of a space in the last days.
func (r queryFields) SpaceStatistics(ctx context.Context, spaceID string, days int) (*model.SpaceStatistics, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", spaceID)
	if err != nil {
		return nil, err
	}
	return r.core.Query().SpaceStatistics(ctx, id, days)
}

// SpaceChanges returns a page of how a space differs between two versions.
func (r queryFields) SpaceChanges(
	ctx context.Context, spaceID string, to int, from *int, first *int, after *string, last *int, before *string,
) (*model.SpaceChangeConnection, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", spaceID)
	if err != nil {
		return nil, err
	}
	return r.core.Query().SpaceChanges(ctx, id, from, to, connection(ctx, first, after, last, before))
}

// RestoreVersion gives a space of the caller the content of an earlier version, as a new version.
func (r mutationFields) RestoreVersion(ctx context.Context, in schema.RestoreVersionInput) (*schema.RestoreVersionPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	result, err := r.core.Mutation().RestoreVersion(model.WithLockToken(ctx, model.Deref(in.LockToken)), id, in.Number)
	if err != nil {
		return nil, err
	}
	return &schema.RestoreVersionPayload{NoChanges: len(result.Applied) == 0, Applied: pointers(result.Applied)}, nil
}

// NameVersion sets the name of a version of a space of the caller; an empty name removes it.
func (r mutationFields) NameVersion(ctx context.Context, in schema.NameVersionInput) (*schema.NameVersionPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	version, err := r.core.Mutation().NameVersion(ctx, model.NameVersion{SpaceID: id, Number: in.Number, Name: in.Name})
	if err != nil {
		return nil, err
	}
	return &schema.NameVersionPayload{Version: version}, nil
}
