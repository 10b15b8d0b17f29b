package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// visitWindow is how long reads of a space by one viewer count as one visit, from the read
// that was counted.
const visitWindow = "interval '30 minutes'"

// Visit returns the space, and counts a visit unless one by the same viewer was counted in
// the last half hour; of two concurrent reads, one counts. viewer is any kind of id. A
// visit does not change the space: ChangedAt stays, and subscriptions do not report it.
//
// It is one round trip for the read and the count. The primary key of visits decides which of two
// concurrent reads counts.
func (db *DB) Visit(ctx context.Context, spaceID, viewer string) (*model.Space, error) {
	space := new(model.Space)
	// The parts of the statement see the same snapshot, so they pass on rows by RETURNING.
	// A repeated read writes nothing. The row of the space is locked before the row of the day,
	// as by the deletion of a space. A visit of a space that another transaction deletes is not
	// counted: its foreign key would wait for the deletion, and then fail the read.
	err := db.idb.NewRaw(`
		WITH visit AS (
			INSERT INTO visits (space_id, viewer) SELECT s.id, ?0 FROM spaces AS s
			WHERE s.id = ?1 AND NOT EXISTS (SELECT FROM visits AS v
				WHERE v.space_id = s.id AND v.viewer = ?0 AND v.counted_at > now() - `+visitWindow+`)
			FOR KEY SHARE OF s SKIP LOCKED
			ON CONFLICT (space_id, viewer) DO UPDATE SET counted_at = now()
				WHERE visits.counted_at <= now() - `+visitWindow+`
			RETURNING space_id
		), counted AS (
			UPDATE spaces SET visit_count = visit_count + 1
			WHERE id IN (SELECT space_id FROM visit) RETURNING *
		), daily AS (
			INSERT INTO daily_visits (space_id, day, visits)
			SELECT id, (now() AT TIME ZONE 'UTC')::date, 1 FROM counted
			ON CONFLICT (space_id, day) DO UPDATE SET visits = daily_visits.visits + 1
		)
		SELECT *, `+readAt+` FROM counted
		UNION ALL
		SELECT *, `+readAt+` FROM spaces WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM counted)`,
		viewer, spaceID).Scan(ctx, space)
	return space, translateNotFound(err, model.SpaceNotFound)
}

// DailyVisits returns the visits of each of these spaces on the last days up to today, oldest
// first, by space. Days without visits are left out.
func (db *DB) DailyVisits(ctx context.Context, spaceIDs []string, days int) (map[string][]*model.DayVisits, error) {
	var found []*model.DayVisits
	err := db.idb.NewRaw(`
		SELECT space_id, day::text, visits FROM daily_visits
		WHERE space_id = ANY(?::text[]) AND day > (now() AT TIME ZONE 'UTC')::date - ?::int
		ORDER BY day`, pgdialect.Array(spaceIDs), days).Scan(ctx, &found)
	visits := make(map[string][]*model.DayVisits, len(spaceIDs))
	for _, id := range spaceIDs {
		visits[id] = []*model.DayVisits{}
	}
	for _, day := range found {
		visits[day.SpaceID] = append(visits[day.SpaceID], day)
	}
	return visits, translate(err)
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
