package door

import (
	"context"

	"portico/graph/schema"
	"portico/model"
)

// ReportSpace stores a report for the operators. Reported is false for a second report within a day,
// and over the limits of db.AddReport.
func (r mutationFields) ReportSpace(ctx context.Context, in schema.ReportSpaceInput) (*schema.ReportSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	added, err := r.core.ReportSpace(ctx, model.ReportSpace{SpaceID: id, Reason: in.Reason, Text: model.Deref(in.Text)})
	if err != nil {
		return nil, err
	}
	return &schema.ReportSpacePayload{Reported: added}, nil
}

// TakeDownSpace makes a space Private, for an operator, and notifies its owner of the reason. The
// owner cannot publish it again before RestoreSpace.
func (r mutationFields) TakeDownSpace(ctx context.Context, in schema.TakeDownSpaceInput) (*schema.TakeDownSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Operator().TakeDownSpace(ctx, model.ReportSpace{SpaceID: id, Reason: in.Reason, Text: model.Deref(in.Text)})
	if err != nil {
		return nil, err
	}
	return &schema.TakeDownSpacePayload{Space: space}, nil
}

// RestoreSpace reverts TakeDownSpace.
func (r mutationFields) RestoreSpace(ctx context.Context, in schema.RestoreSpaceInput) (*schema.RestoreSpacePayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Operator().RestoreSpace(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.RestoreSpacePayload{Space: space}, nil
}

// CloseReports closes the open reports of a space and leaves the space as it is.
func (r mutationFields) CloseReports(ctx context.Context, in schema.CloseReportsInput) (*schema.CloseReportsPayload, error) {
	id, err := model.OwnID(model.NodeSpace, "spaceId", in.SpaceID)
	if err != nil {
		return nil, err
	}
	space, err := r.core.Operator().CloseReports(ctx, id)
	if err != nil {
		return nil, err
	}
	return &schema.CloseReportsPayload{Space: space}, nil
}
