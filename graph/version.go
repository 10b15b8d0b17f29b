package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// recordBatch is the maximum number of changes that one statement records as versions.
const recordBatch = 10_000

// SpaceVersions returns a page of the history of a space of the caller, newest first. It first
// records the changes until now.
func (r Queries) SpaceVersions(ctx context.Context, spaceID string, args model.Pager) (*model.SpaceVersionConnection, error) {
	space, err := r.access.OwnedSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	page, err := args.Page()
	if err != nil {
		return nil, err
	}
	if err := r.recordHistory(ctx, r.db, space.ID); err != nil {
		return nil, err
	}
	return r.db.History().Versions(ctx, space.ID, page)
}

// recordHistory records the changes of a space as versions.
//
// A database that records for the first time may have more than one batch.
func (r *Resolver) recordHistory(ctx context.Context, tx *db.DB, spaceID string) error {
	for {
		recorded, err := tx.History().RecordVersions(ctx, spaceID, r.settings.History, recordBatch)
		if err != nil || recorded < recordBatch {
			return err
		}
	}
}

// checkVersions records the history of the space and refuses numbers that no version has. The
// number before the oldest version is accepted: it means the state that the oldest version changed.
// No version is deleted until the transaction ends.
//
// The lock on the history of the account is held until the transaction ends. Without it a worker
// could remove the version between this check and its use.
func (r *Resolver) checkVersions(ctx context.Context, tx *db.DB, spaceID string, from, to int) error {
	if err := tx.History().LockHistory(ctx, spaceID); err != nil {
		return err
	}
	if err := r.recordHistory(ctx, tx, spaceID); err != nil {
		return err
	}
	oldest, newest, err := tx.History().VersionBounds(ctx, spaceID)
	if err != nil {
		return err
	}
	if newest == 0 || from < oldest-1 || to > newest {
		return model.NotFound(model.VersionNotFound)
	}
	return nil
}

// NameVersion sets the name of a version of a space of the caller; an empty name removes it.
func (r Mutations) NameVersion(ctx context.Context, in model.NameVersion) (*model.SpaceVersion, error) {
	if _, err := r.access.OwnedSpace(ctx, in.SpaceID); err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return r.db.History().NameVersion(ctx, in)
}
