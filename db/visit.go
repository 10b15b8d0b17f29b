package db

import (
	"context"

	"portico/model"
)

// visitWindow is how long reads of a space by one viewer count as one visit, from the read
// that was counted.
const visitWindow = "interval '30 minutes'"

// Visit returns the space, and counts a visit unless one by the same viewer was counted in
// the last half hour; of two concurrent reads, one counts. viewer is any kind of id. A
// visit does not change the space: ChangedAt stays, and subscriptions do not report it.
func (db *DB) Visit(ctx context.Context, spaceID, viewer string) (*model.Space, error) {
	space := new(model.Space)
	// The parts of the statement see the same snapshot, so they pass on rows by RETURNING.
	// A repeated read writes nothing.
	err := db.idb.NewRaw(`
		WITH visit AS (
			INSERT INTO visits (space_id, viewer) SELECT id, ? FROM spaces WHERE id = ?
			ON CONFLICT (space_id, viewer) DO UPDATE SET counted_at = now()
				WHERE visits.counted_at <= now() - `+visitWindow+`
			RETURNING space_id
		), counted AS (
			UPDATE spaces SET visit_count = visit_count + 1
			WHERE id IN (SELECT space_id FROM visit) RETURNING *
		)
		SELECT * FROM counted
		UNION ALL
		SELECT * FROM spaces WHERE id = ? AND NOT EXISTS (SELECT 1 FROM counted)`,
		viewer, spaceID, spaceID).Scan(ctx, space)
	return space, oneRow(err, model.SpaceNotFound)
}

// PurgeVisits deletes up to limit visits that are older than visitWindow, and returns how
// many.
func (db *DB) PurgeVisits(ctx context.Context, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM visits WHERE (space_id, viewer) IN (
			SELECT space_id, viewer FROM visits WHERE counted_at <= now() - `+visitWindow+`
			ORDER BY counted_at LIMIT ? FOR UPDATE SKIP LOCKED)`, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
