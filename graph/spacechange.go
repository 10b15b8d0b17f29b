package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// SpaceChanges returns a page of the differences between two versions of a space of the
// caller. If from is nil, it compares with the version before to, which gives the changes of
// version to.
func (r Queries) SpaceChanges(ctx context.Context, spaceID string, from *int, to int, args model.Pager) (*model.SpaceChangeConnection, error) {
	space, err := r.access.OwnedSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	before := to - 1
	if from != nil {
		before = *from
		if before < 0 {
			return nil, model.InvalidField("from", "must be the number of a version")
		}
	}
	if before >= to {
		return nil, model.InvalidField("from", "must be an earlier version")
	}
	var changes *model.SpaceChangeConnection
	err = r.db.InTx(ctx, func(tx *db.DB) error {
		if err := r.checkVersions(ctx, tx, space.ID, before, to); err != nil {
			return err
		}
		changes, err = tx.History().SpaceChanges(ctx, space.ID, before, to, page)
		return err
	})
	return changes, err
}
