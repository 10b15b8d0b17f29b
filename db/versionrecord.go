package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// maxBurst is the maximum length of a burst: a longer one continues in the next version.
//
// It bounds what one version mixes together when a program writes without a pause for days.
const maxBurst = time.Hour

// recordVersions moves changes into versions. It numbers the changes of a space by the bursts
// that they belong to; the first burst may continue the newest version.
//
// The values of op are in 0032_history.sql: 1 created, 2 changed, 3 deleted, and 0 for what one
// version both created and deleted. Of several changes of one target, the first has the state
// before the version, and the last decides whether the target still exists.
//
// The parts of the statement:
//
//	taken     the changes, which it deletes
//	newest    the newest version of each space, which the first burst may continue
//	marked    whether a change starts a burst: another origin, or a pause of more than ?2, or for the
//	          newest version more than ?3 since its start
//	numbered  the number of the version of each change
//	versions  the new versions, and the later end of the continued one
//	before    the state before the version: of the first change of each target
//	after     whether the target is gone: by the last change
//	written   one row for each target of a version
const recordVersions = `
	WITH taken AS (
		DELETE FROM changes WHERE sequence = ANY(?1::bigint[]) RETURNING *
	), newest AS (
		SELECT DISTINCT ON (space_id) space_id, sequence, origin, started_at, ended_at
		FROM space_versions WHERE space_id = ANY(?0::text[]) ORDER BY space_id, sequence DESC
	), marked AS (
		SELECT t.*, coalesce(n.sequence, 0) AS newest, CASE WHEN lag(t.sequence) OVER burst IS NULL
			THEN n.sequence IS NULL OR t.origin <> n.origin OR t.at - n.ended_at > ?2::interval OR t.at - n.started_at > ?3::interval
			ELSE t.origin <> lag(t.origin) OVER burst OR t.at - lag(t.at) OVER burst > ?2::interval END AS starts
		FROM taken AS t JOIN spaces AS s ON s.id = t.space_id LEFT JOIN newest AS n ON n.space_id = t.space_id
		WINDOW burst AS (PARTITION BY t.space_id ORDER BY t.sequence)
	), numbered AS (
		SELECT *, newest + count(*) FILTER (WHERE starts) OVER (PARTITION BY space_id ORDER BY sequence) AS version FROM marked
	), versions AS (
		INSERT INTO space_versions AS v (space_id, sequence, origin, started_at, ended_at)
		SELECT space_id, version, min(origin), min(at), max(at) FROM numbered GROUP BY space_id, version
		ON CONFLICT (space_id, sequence) DO UPDATE SET ended_at = greatest(v.ended_at, EXCLUDED.ended_at)
		RETURNING space_id, sequence
	), before AS (
		SELECT DISTINCT ON (space_id, version, target) space_id, version, target, type, before
		FROM numbered ORDER BY space_id, version, target, sequence
	), after AS (
		SELECT DISTINCT ON (space_id, version, target) space_id, version, target, op = 3 AS gone
		FROM numbered ORDER BY space_id, version, target, sequence DESC
	), written AS (
		INSERT INTO version_changes AS c (space_id, version, target, op, type, before)
		SELECT space_id, version, target,
			CASE WHEN type IS NULL AND gone THEN 0 WHEN type IS NULL THEN 1 WHEN gone THEN 3 ELSE 2 END, type, before
		FROM before JOIN after USING (space_id, version, target)
		ON CONFLICT (space_id, version, target) DO UPDATE SET op = CASE
			WHEN EXCLUDED.op IN (0, 3) AND c.type IS NULL THEN 0 WHEN EXCLUDED.op IN (0, 3) THEN 3
			WHEN c.type IS NULL THEN 1 ELSE 2 END
	)
	SELECT space_id, sequence FROM versions`

// countVersions stores how many targets each version created, changed and deleted, and its size
// for the quota: 256 bytes for the version, and for each change 64 bytes, the target and the
// state before.
const countVersions = `
	UPDATE space_versions AS v SET created = c.created, updated = c.updated, deleted = c.deleted, bytes = c.bytes
	FROM (
		SELECT space_id, version, count(*) FILTER (WHERE op = 1) AS created, count(*) FILTER (WHERE op = 2) AS updated,
			count(*) FILTER (WHERE op = 3) AS deleted,
			256 + sum(64 + octet_length(target) + coalesce(octet_length(before::text), 0)) AS bytes
		FROM version_changes JOIN unnest(?::text[], ?::bigint[]) AS n (space_id, version) USING (space_id, version)
		GROUP BY space_id, version
	) AS c WHERE v.space_id = c.space_id AND v.sequence = c.version`

// RecordVersions records up to limit changes as versions: changes of one space, or of all spaces if
// spaceID is empty. It returns their number. It removes the versions beyond the limits, and the oldest
// of an account whose storage is full.
//
// The events of webhooks are added in the same transaction as the versions, before the changes are
// deleted, and both statements name the same changes: each change is reported once. trimHistory is a
// transaction of its own, because it reads the storage of accounts, and must not hold up the others.
func (db *DB) RecordVersions(ctx context.Context, spaceID string, limits model.HistoryLimits, limit int) (int, error) {
	var owners []string
	taken := 0
	err := db.InTx(ctx, func(tx *DB) error {
		batch, err := tx.claimChanges(ctx, spaceID, limit)
		if err != nil || len(batch.Changes) == 0 {
			return err
		}
		taken = len(batch.Changes)
		if batch.Reported {
			if err := tx.addChangeEvents(ctx, batch); err != nil {
				return fmt.Errorf("add events of webhooks: %w", err)
			}
		}
		if limits.Versions == 0 {
			_, err := tx.idb.NewRaw("DELETE FROM changes WHERE sequence = ANY(?::bigint[])", pgdialect.Array(batch.Changes)).Exec(ctx)
			return translate(err)
		}
		owners = batch.Owners
		return tx.recordVersions(ctx, batch, limits)
	})
	if err != nil || len(owners) == 0 {
		return taken, err
	}
	return taken, db.trimHistory(ctx, owners)
}

// changeBatch are changes to record.
type changeBatch struct {
	Spaces []string `bun:",array"`
	Owners []string `bun:",array"`
	// Changes are the numbers of the changes. A range of numbers would not do: a writer that took its
	// number earlier may commit later, and its change would be in only some of the statements.
	Changes []int64 `bun:",array"`
	// Reported reports whether one of the owners has a webhook.
	Reported bool
}

// claimChanges selects changes to record, and locks their spaces against deletion. Without the lock,
// recording and deleting a space could deadlock. It reads the owner from the id of the space, because
// the space may have been deleted.
func (db *DB) claimChanges(ctx context.Context, spaceID string, limit int) (*changeBatch, error) {
	if err := db.LockHistory(ctx); err != nil {
		return nil, err
	}
	batch := new(changeBatch)
	err := db.idb.NewRaw(`
		SELECT coalesce(array_agg(DISTINCT space_id), '{}') AS spaces, coalesce(array_agg(sequence), '{}') AS changes,
			coalesce(array_agg(DISTINCT `+ownerOf("space_id")+`), '{}') AS owners,
			EXISTS (SELECT FROM webhooks WHERE disabled_at IS NULL
				AND user_id = ANY(array_agg(DISTINCT `+ownerOf("space_id")+`))) AS reported
		FROM (SELECT space_id, sequence FROM changes WHERE ?0 = '' OR space_id = ?0 ORDER BY sequence LIMIT ?1) AS batch`,
		spaceID, limit).Scan(ctx, batch)
	if err != nil || len(batch.Changes) == 0 {
		return batch, translate(err)
	}
	return batch, db.lockAgainstDeletion(ctx, batch.Spaces)
}

// LockHistory waits until no other transaction records or removes versions.
//
// It is one lock for all spaces, held until the transaction ends.
func (db *DB) LockHistory(ctx context.Context) error {
	_, err := db.idb.NewRaw("SELECT pg_advisory_xact_lock(?)", historyLock).Exec(ctx)
	return translate(err)
}

// lockAgainstDeletion locks the spaces so that no other transaction deletes them.
func (db *DB) lockAgainstDeletion(ctx context.Context, ids []string) error {
	_, err := db.idb.NewRaw("SELECT id FROM spaces WHERE id = ANY(?::text[]) ORDER BY id FOR KEY SHARE", pgdialect.Array(ids)).Exec(ctx)
	return translate(err)
}

func (db *DB) recordVersions(ctx context.Context, batch *changeBatch, limits model.HistoryLimits) error {
	var written []struct {
		SpaceID  string
		Sequence int64
	}
	err := db.idb.NewRaw(recordVersions, pgdialect.Array(batch.Spaces), pgdialect.Array(batch.Changes),
		milliseconds(model.BurstPause), milliseconds(maxBurst)).Scan(ctx, &written)
	if err != nil {
		return fmt.Errorf("record versions: %w", translate(err))
	}
	spaces, numbers := make([]string, len(written)), make([]int64, len(written))
	for i, version := range written {
		spaces[i], numbers[i] = version.SpaceID, version.Sequence
	}
	if _, err := db.idb.NewRaw(countVersions, pgdialect.Array(spaces), pgdialect.Array(numbers)).Exec(ctx); err != nil {
		return fmt.Errorf("count versions: %w", translate(err))
	}
	_, err = db.idb.NewRaw(`
		DELETE FROM space_versions AS v
		USING (SELECT space_id, max(sequence) AS newest FROM space_versions WHERE space_id = ANY(?::text[]) GROUP BY space_id) AS s
		WHERE v.space_id = s.space_id AND v.sequence <= s.newest - ?`, pgdialect.Array(batch.Spaces), limits.Versions).Exec(ctx)
	return translate(err)
}

// trimHistory deletes the oldest versions of accounts that are over their quota, until they are within
// it: old versions must not prevent an owner from writing. The newest version of each space stays, so
// that numbers are never used again.
func (db *DB) trimHistory(ctx context.Context, owners []string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.LockHistory(ctx); err != nil {
			return err
		}
		_, err := tx.removeVersions(ctx, `
			WITH full_accounts AS (
				SELECT u.id, s.used + s.promised - u.quota AS excess FROM users AS u, storage_of(u.id) AS s
				WHERE u.id = ANY(?::text[]) AND s.used + s.promised > u.quota
			), aged AS (
				SELECT v.space_id, v.sequence, a.excess,
					sum(v.bytes) OVER (PARTITION BY a.id ORDER BY v.ended_at, v.space_id, v.sequence) - v.bytes AS older,
					max(v.sequence) OVER (PARTITION BY v.space_id) AS newest
				FROM full_accounts AS a JOIN spaces AS s ON s.`+ownedBy+`a.id JOIN space_versions AS v ON v.space_id = s.id
			)
			SELECT space_id, max(sequence) AS last FROM aged WHERE older < excess AND sequence < newest
			GROUP BY space_id ORDER BY space_id`,
			pgdialect.Array(owners))
		return err
	})
}

// PurgeHistory removes the versions of up to maxSpaces spaces that are too old, and returns the
// number of spaces. The newest version of a space stays, so that numbers are never used again,
// unless no history is kept.
func (db *DB) PurgeHistory(ctx context.Context, limits model.HistoryLimits, maxSpaces int) (int, error) {
	age, kept := limits.Age, 1
	if limits.Versions == 0 {
		age, kept = 0, 0
	}
	purged := 0
	err := db.InTx(ctx, func(tx *DB) error {
		if err := tx.LockHistory(ctx); err != nil {
			return err
		}
		var err error
		purged, err = tx.removeVersions(ctx, `
			SELECT space_id, last FROM (
				SELECT o.space_id, least(max(o.sequence), (SELECT max(sequence) FROM space_versions AS n WHERE n.space_id = o.space_id) - ?) AS last
				FROM space_versions AS o WHERE o.ended_at <= now() - ?::interval GROUP BY o.space_id
			) AS o WHERE EXISTS (SELECT 1 FROM space_versions AS v WHERE v.space_id = o.space_id AND v.sequence <= o.last)
			ORDER BY space_id LIMIT ?`, kept, milliseconds(age), maxSpaces)
		return err
	})
	return purged, err
}

// removeVersions removes the versions of spaces up to a number. The query selects space_id and
// last. It returns the number of spaces.
func (db *DB) removeVersions(ctx context.Context, query string, args ...any) (int, error) {
	var old []struct {
		SpaceID string
		Last    int64
	}
	if err := db.idb.NewRaw(query, args...).Scan(ctx, &old); err != nil || len(old) == 0 {
		return 0, translate(err)
	}
	spaces, last := make([]string, len(old)), make([]int64, len(old))
	for i, space := range old {
		spaces[i], last[i] = space.SpaceID, space.Last
	}
	if err := db.lockAgainstDeletion(ctx, spaces); err != nil {
		return 0, err
	}
	_, err := db.idb.NewRaw(`DELETE FROM space_versions AS v USING unnest(?::text[], ?::bigint[]) AS old (space_id, last)
		WHERE v.space_id = old.space_id AND v.sequence <= old.last`, pgdialect.Array(spaces), pgdialect.Array(last)).Exec(ctx)
	return len(old), translate(err)
}
