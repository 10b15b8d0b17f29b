package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// RequestDownload asks for a capture of a space in another format.
func (r mutationFields) RequestDownload(ctx context.Context, in schema.RequestDownloadInput) (*schema.RequestDownloadPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	found, err := r.core.Mutation().RequestDownload(ctx, model.RequestDownload{SpaceID: id, EntityID: in.EntityID, Format: in.Format})
	if err != nil {
		return nil, err
	}
	payload := &schema.RequestDownloadPayload{State: found.State()}
	switch payload.State {
	case model.StepReady:
		payload.URL, payload.Bytes = &found.URL, &found.Bytes
	case model.StepFailed:
		payload.Failure = &found.Failure
	case model.StepPending:
	}
	return payload, nil
}
