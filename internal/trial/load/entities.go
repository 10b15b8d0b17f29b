package main

import (
	"context"
	"errors"
	"strconv"
)

// Entities are bench-NNNNNNNNN. Reads and updates use seeded ones, and each connection updates some
// of its own, because updates of one row take turns; create continues at firstMade, and pgbench
// uses what is above firstOfPgbench. The numbers, and who may touch the entities:
//
//	100,000,000    read by all, and changed only to measure the delivery of changes
//	200,000,000    updated, 16 of them by each connection
//	300,000,000    created, and deleted by the next round of delete
//	400,000,000    created and deleted by pgbench, a million for each of its clients
//	800,000,000    listed, in a space of their own
//	999,999,999    the sample
const (
	firstRead      = 100_000_000
	readable       = 1000
	firstUpdated   = 200_000_000
	perConnection  = 16
	firstMade      = 300_000_000
	firstOfPgbench = 400_000_000
	firstListed    = 800_000_000

	maxConnections = 90
)

// entityID returns the id of an entity by its number. All ids have the same length, as the
// holes of templates require.
func entityID(n int) string { return "bench-" + strconv.Itoa(n) }

// listID returns the id of the entity at a place of the list.
func listID(i int) string { return entityID(firstListed + i) }

// seed adds the entities that are read, updated and listed.
func (w *world) seed(ctx context.Context) error {
	return errors.Join(
		w.exec(ctx, plainTables),
		w.addEntities(ctx, w.onBoth, w.work, firstRead, readable),
		w.addEntities(ctx, w.onBoth, w.work, firstUpdated, maxConnections*perConnection),
		w.addEntities(ctx, w.onBoth, w.listed, firstListed, pageSize),
		// Without statistics the planner would guess in the first rounds, and autovacuum
		// would run in one of them.
		w.exec(ctx, "VACUUM ANALYZE"),
	)
}

// addEntities adds count entities from the number first on, to Portico's tables with w.exec, to the
// plain ones too with w.onBoth.
func (w *world) addEntities(ctx context.Context, execute executor, space string, first, count int) error {
	return execute(ctx, `
		INSERT INTO entities (space_id, entity_id, type, data, created_at, changed_at)
		SELECT $1, 'bench-' || n, $2, $3, $4, $4 FROM generate_series($5::int, $6::int) AS n ORDER BY n`,
		space, entityType, document, seedTime, first, first+count-1)
}

// executor executes a statement.
type executor func(ctx context.Context, statement string, args ...any) error

// onBoth executes one statement on the tables of Portico, and on the plain ones.
func (w *world) onBoth(ctx context.Context, statement string, args ...any) error {
	return errors.Join(w.exec(ctx, statement, args...), w.exec(ctx, onPlainTables(statement), args...))
}

// sampleNumber is the number of sampleID.
const sampleNumber = 999_999_999

// placeSample creates the sample entity for an operation. A create creates it itself.
func (w *world) placeSample(ctx context.Context, op operation) error {
	if err := w.clear(ctx); err != nil || op == opCreate {
		return err
	}
	return w.addEntities(ctx, w.onBoth, w.work, sampleNumber, 1)
}

// clear removes the entities that the rounds have created and not deleted.
func (w *world) clear(ctx context.Context) error {
	return w.onBoth(ctx, "DELETE FROM entities WHERE space_id = $1 AND entity_id >= $2", w.work, entityID(firstMade))
}

// count returns the number of entities from the number first on.
func (w *world) count(ctx context.Context, first int) (n int, err error) {
	err = w.pool.QueryRow(ctx, "SELECT count(*) FROM entities WHERE space_id = $1 AND entity_id >= $2",
		w.work, entityID(first)).Scan(&n)
	return n, err
}

// exec executes one statement and drops what it returns.
func (w *world) exec(ctx context.Context, statement string, args ...any) error {
	_, err := w.pool.Exec(ctx, statement, args...)
	return err
}
