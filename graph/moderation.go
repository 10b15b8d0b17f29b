package graph

import (
	"cmp"
	"context"

	"portico/graph/access"
	"portico/model"
)

// reportSpace stores a report of a space that the caller, or everybody, may read. It returns
// whether it stored the report: a reporter can report a space once a day.
//
// The reporter is the account, or the daily id of the visitor (visitorID). Without an address, as
// in a request of the server itself, there is no reporter.
func (r *Resolver) reportSpace(ctx context.Context, in model.ReportSpace) (bool, error) {
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

// moderatedSpaces returns a page of the spaces that others than their owners can open, could open
// before they were taken down, or have reported, with their open reports.
func (r *Resolver) moderatedSpaces(
	ctx context.Context, right *model.Operator, filter model.ModerationFilter, args model.Pager,
) (*model.ModeratedSpaceConnection, error) {
	if err := access.CheckOperator(ctx, right); err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	filter.Search = page.Search
	return r.db.Moderation().ModeratedSpaces(ctx, filter, page)
}

// takeDownSpace makes a space Private until restoreSpace.
//
// The owner keeps the space and can read and change it, but cannot publish it (db.hideSpaces).
func (r *Resolver) takeDownSpace(ctx context.Context, in model.ReportSpace) (*model.ModeratedSpace, error) {
	return r.moderate(ctx, in.SpaceID, func(ctx context.Context, _ string) error {
		if err := in.Validate(); err != nil {
			return err
		}
		return r.db.Moderation().TakeDown(ctx, in)
	})
}

// restoreSpace reverts takeDownSpace.
func (r *Resolver) restoreSpace(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	return r.moderate(ctx, id, r.db.Moderation().RestoreSpace)
}

// closeReports closes the open reports of a space and leaves the space as it is: the operator found
// nothing wrong.
func (r *Resolver) closeReports(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	return r.moderate(ctx, id, r.db.Moderation().CloseReports)
}

// moderate changes a space of any account as an operator, and returns it.
func (r *Resolver) moderate(
	ctx context.Context, id string, change func(ctx context.Context, id string) error,
) (*model.ModeratedSpace, error) {
	if _, err := r.access.Operator(ctx); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	if err := change(ctx, id); err != nil {
		return nil, err
	}
	return r.db.Moderation().ModeratedSpace(ctx, id)
}

// takedown returns why the caller's own space was taken down; nil for other spaces.
func (r *Resolver) takedown(ctx context.Context, space *model.Space) (*model.Takedown, error) {
	if !access.Owns(model.CallerFrom(ctx), space) || space.Privacy != model.Private {
		return nil, nil
	}
	return loadField(ctx, space, "takedown", func(_ context.Context, spaces []*model.Space) (map[*model.Space]*model.Takedown, error) {
		return loadByKey(spaces, func(s *model.Space) string { return s.ID }, func(ids []string) (map[string]*model.Takedown, error) {
			return r.db.Moderation().Takedowns(ctx, ids)
		})
	})
}
