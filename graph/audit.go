package graph

import (
	"context"

	"portico/model"
)

// SecurityEvents returns a page of the account's audit trail, newest first.
func (r viewerResolver) SecurityEvents(ctx context.Context, user *model.User, first *int, after *string) (*model.SecurityEventConnection, error) {
	page, err := model.PageArgs{Limit: first, Cursor: deref(after)}.Page()
	if err != nil {
		return nil, err
	}
	return r.DB.SecurityEvents(ctx, user.ID, page)
}
