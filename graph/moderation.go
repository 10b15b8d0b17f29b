package graph

import (
	"cmp"
	"context"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// ReportSpace stores a report of a space that the caller, or everybody, may read. It returns
// whether it stored the report: a reporter can report a space once a day.
//
// The reporter is the account, or the daily id of the visitor (visitorID). Without an address, as
// in a request of the server itself, there is no reporter.
func (r *Resolver) ReportSpace(ctx context.Context, in model.ReportSpace) (bool, error) {
	space, err := r.access.ReadableSpace(ctx, in.SpaceID)
	if err != nil {
		return false, err
	}
	if err := in.Validate(); err != nil {
		return false, err
	}
	reporter := cmp.Or(access.ViewerID(ctx), model.VisitorFrom(ctx))
	if reporter == "" {
		_, err := access.Caller(ctx)
		return false, err
	}
	return r.db.Moderation().AddReport(ctx, model.ReportSpace{SpaceID: space.ID, Reason: in.Reason, Text: in.Text}, reporter)
}

// Takedown returns why the caller's own space was taken down; nil for other spaces.
func (r *Resolver) Takedown(ctx context.Context, space *model.Space) (*model.Takedown, error) {
	if !access.Owns(model.CallerFrom(ctx), space) || space.Privacy != model.Private {
		return nil, nil
	}
	return batch.Load(ctx, space, "takedown", func(_ context.Context, spaces []*model.Space) (map[*model.Space]*model.Takedown, error) {
		return batch.ByKey(spaces, func(s *model.Space) string { return s.ID }, func(ids []string) (map[string]*model.Takedown, error) {
			return r.db.Moderation().Takedowns(ctx, ids)
		})
	})
}
