package operator

import (
	"context"

	"portico/graph/access"
	"portico/model"
)

// Spaces returns a page of the spaces that others than their owners can open, could open
// before they were taken down, or have reported, with their open reports.
func (s *Service) Spaces(
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
	return s.db.Moderation().ModeratedSpaces(ctx, filter, page)
}

// TakeDownSpace makes a space Private until RestoreSpace.
//
// The owner keeps the space and can read and change it, but cannot publish it (db.hideSpaces).
func (s *Service) TakeDownSpace(ctx context.Context, in model.ReportSpace) (*model.ModeratedSpace, error) {
	return s.moderate(ctx, in.SpaceID, func(ctx context.Context, _ string) error {
		if err := in.Validate(); err != nil {
			return err
		}
		return s.db.Moderation().TakeDown(ctx, in)
	})
}

// RestoreSpace reverts TakeDownSpace.
func (s *Service) RestoreSpace(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	return s.moderate(ctx, id, s.db.Moderation().RestoreSpace)
}

// CloseReports closes the open reports of a space and leaves the space as it is: the operator found
// nothing wrong.
func (s *Service) CloseReports(ctx context.Context, id string) (*model.ModeratedSpace, error) {
	return s.moderate(ctx, id, s.db.Moderation().CloseReports)
}

// moderate changes a space of any account as an operator, and returns it.
func (s *Service) moderate(
	ctx context.Context, id string, change func(ctx context.Context, id string) error,
) (*model.ModeratedSpace, error) {
	if _, err := s.access.Operator(ctx); err != nil {
		return nil, err
	}
	if !access.IsPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	if err := change(ctx, id); err != nil {
		return nil, err
	}
	return s.db.Moderation().ModeratedSpace(ctx, id)
}
