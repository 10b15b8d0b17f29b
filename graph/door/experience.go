package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// SupersplatSettings returns a space that the caller may open as a settings file.
func (r queryFields) SupersplatSettings(ctx context.Context, nodeID string) (model.Object, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", nodeID)
	if err != nil {
		return nil, err
	}
	return r.core.Query().SupersplatSettings(ctx, id)
}

// ImportSupersplatSettings takes a settings file into a space of the caller.
func (r mutationFields) ImportSupersplatSettings(
	ctx context.Context, in schema.ImportSupersplatSettingsInput,
) (*schema.ImportSupersplatSettingsPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	result, err := r.core.Mutation().ImportSupersplatSettings(
		model.WithLockToken(ctx, model.Deref(in.LockToken)), model.ImportSettings{SpaceID: id, Settings: in.Settings},
	)
	if err != nil {
		return nil, err
	}
	return &schema.ImportSupersplatSettingsPayload{
		AnnotationCount: result.AnnotationCount, TourCount: result.TourCount, Space: result.Space,
	}, nil
}
