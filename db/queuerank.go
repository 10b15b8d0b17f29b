package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"
)

// rankQueue sets the priority of the background work that waits, so that accounts take turns. River
// takes the row with the lowest priority, from 1 to 4, and of these the oldest.
//
// The first row of an account that has had no worker lately has priority 1. Each row of the account
// before it, each one that runs, and each ten seconds that its work has taken of the workers in the
// last ten minutes count as one more: so a row of an account that keeps the workers busy waits for
// the rows of others. Within an account, rows that have waited for ten minutes come first, and then
// small files.
//
// The parts of the statement:
//
//	work    the rows that wait, run or have ended lately, with the account that they are for
//	spent   what each account has of the workers of each kind
//	ranked  the priority of each row that waits; rows whose file or webhook is gone have none
//	locked  the rows that change, in the order of their ids; River skips them meanwhile
const rankQueue = `
	WITH work AS (
		SELECT r.id, r.kind, r.state, r.scheduled_at, coalesce(f.user_id, w.user_id, r.args ->> 'user_id', r.args ->> 'to') AS account,
			coalesce(f.size, 0) AS bytes, extract(epoch FROM coalesce(r.finalized_at, now()) - ` + startOfAttempt + `) AS seconds
		FROM river_job AS r
			LEFT JOIN files AS f ON f.resource_key = r.args ->> 'resource_key'
			LEFT JOIN webhooks AS w ON w.id = r.args ->> 'webhook_id'
		WHERE r.kind = ANY(?0::text[]) AND (r.state IN ('available', 'running')
			OR r.state IN ('completed', 'discarded') AND r.finalized_at > now() - interval '10 minutes')
	), spent AS (
		SELECT kind, account, count(*) FILTER (WHERE state = 'running') + sum(seconds) / 10 AS turns
		FROM work WHERE state <> 'available' GROUP BY kind, account
	), ranked AS (
		SELECT w.id, least(4, floor(coalesce(s.turns, 0) + row_number() OVER (PARTITION BY w.kind, w.account
			ORDER BY w.scheduled_at > now() - interval '10 minutes',
				CASE WHEN w.scheduled_at > now() - interval '10 minutes' THEN w.bytes END, w.scheduled_at, w.id)))::smallint AS priority
		FROM work AS w LEFT JOIN spent AS s USING (kind, account)
		WHERE w.state = 'available' AND w.account IS NOT NULL
	), locked AS (
		SELECT r.id, ranked.priority FROM river_job AS r JOIN ranked USING (id)
		WHERE r.state = 'available' AND r.priority <> ranked.priority ORDER BY r.id FOR UPDATE OF r SKIP LOCKED
	)
	UPDATE river_job AS r SET priority = locked.priority FROM locked WHERE r.id = locked.id`

// startOfAttempt is an expression for the start of the current attempt of a row r of River:
// ExtendLease moves attempted_at.
const startOfAttempt = `coalesce(CASE WHEN (r.metadata ->> 'leased_attempt')::int = r.attempt
	THEN (r.metadata ->> 'started_at')::timestamptz END, r.attempted_at)`

// RankQueue orders the background work that waits, so that accounts take turns. Jobs that clients
// see have TakeTurn. Work that nobody has ranked yet has priority 1, so call it every second.
func (db *DB) RankQueue(ctx context.Context) error {
	_, err := db.idb.NewRaw(rankQueue, pgdialect.Array(rescuedKinds())).Exec(ctx)
	return translate(err)
}
