package operator

import (
	"context"

	"portico/model"
)

// TakeDown makes a space Private until RestoreSpace, and notifies its owner.
func (o *Operator) TakeDown(ctx context.Context, in model.ReportSpace) error {
	if err := in.Validate(); err != nil {
		return err
	}
	return o.program.DB.Moderation().TakeDown(asOperator(ctx), in)
}

// RestoreSpace reverses the takedown of a space.
func (o *Operator) RestoreSpace(ctx context.Context, id string) error {
	return o.program.DB.Moderation().RestoreSpace(asOperator(ctx), id)
}

// Spaces calls visit with each space that the filter selects, newest first, until visit
// returns an error.
func (o *Operator) Spaces(ctx context.Context, filter model.ModerationFilter, visit func(*model.ModeratedSpace) error) error {
	page := model.Page{Limit: model.MaxPageSize}
	return visitPages(page, func(page model.Page) (*model.Connection[*model.ModeratedSpace], error) {
		found, err := o.program.DB.Moderation().ModeratedSpaces(ctx, filter, page)
		return (*model.Connection[*model.ModeratedSpace])(found), err
	}, visit)
}
