package db

import (
	"context"

	"github.com/uptrace/bun"

	"portico/model"
)

// readAt selects Space.ReadAt. Every statement that returns whole spaces selects it, because
// Space.Lock needs it.
const readAt = "now() AS read_at"

// AcquireSpaceLock locks the space for an editor, or renews the lock that has the token. It returns
// nil if another editor holds the lock.
//
// It is one statement: of two editors that ask at the same time, the second waits for the row and
// then finds the lock of the first.
func (db *DB) AcquireSpaceLock(ctx context.Context, in model.LockSpace, token string) (*model.Space, error) {
	return db.changeLock(ctx, db.idb.NewUpdate().
		Set("lock_name = ?, lock_token = ?", in.Holder(), token).
		Set("locked_until = date_trunc('milliseconds', now() + ?::interval)", milliseconds(in.Duration())).
		Where("s.id = ? AND "+notLockedByAnother("?"), in.SpaceID, token))
}

// ReleaseSpaceLock releases the lock that has the token, or any lock if force is true. It returns
// nil if another editor holds the lock.
//
// LockedUntil becomes the time of the release. By it, graph.tryAsEditor knows that a statement may
// have found the space locked, although the space has no lock when it is read after the statement.
func (db *DB) ReleaseSpaceLock(ctx context.Context, spaceID, token string, force bool) (*model.Space, error) {
	return db.changeLock(ctx, db.idb.NewUpdate().
		Set("lock_name = NULL, lock_token = NULL, locked_until = date_trunc('milliseconds', now())").
		Where("s.id = ? AND ("+notLockedByAnother("?")+" OR ?)", spaceID, token, force))
}

// changeLock runs an update of a space and announces it. The version of the space stays: its
// own fields did not change.
func (db *DB) changeLock(ctx context.Context, update *bun.UpdateQuery) (*model.Space, error) {
	var spaces []*model.Space
	err := update.Model((*model.Space)(nil)).ModelTableExpr("spaces AS s").Returning("*, "+readAt).Scan(ctx, &spaces)
	if err != nil || len(spaces) == 0 {
		return nil, translate(err)
	}
	db.Announce(SpaceTopic(spaces[0].ID))
	return spaces[0], nil
}
