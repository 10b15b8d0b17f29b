package door

import (
	"context"

	"portico/model"
)

// SpaceScreenshot returns the picture of a space that the caller may read, in the smallest size
// with at least the width, or the largest.
func (r queryFields) SpaceScreenshot(ctx context.Context, spaceID string, width *int) (*model.Poster, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", spaceID)
	if err != nil {
		return nil, err
	}
	found, err := r.core.Query().SpaceScreenshot(ctx, id, width)
	if err != nil {
		return nil, err
	}
	return &model.Poster{URL: found.URL, Width: found.Width, Height: found.Height}, nil
}
