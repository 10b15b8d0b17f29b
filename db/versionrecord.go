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

// recordVersionsQuery moves changes into versions. It numbers the changes of a space by the bursts
// that they belong to; the first burst may continue the newest version.
//
// The values of op are in 0032_history.sql: 1 created, 2 changed, 3 deleted, and 0 for what one
// version both created and deleted. Of several changes of one target, the first has the state
// before the version, and the last decides whether the target still exists.
//
// A repeated change has no state: an earlier change of the same burst has it, which may be recorded
// already. So it starts no version. If a change of another origin that was in progress at the same
// time came between the two, the repeated one counts as part of the earlier.
//
// The parts of the statement:
//
//	taken     the changes, which it deletes
//	newest    the newest version of each space, which the first burst may continue
//	marked    whether a change starts a burst: another origin, or a pause of more than ?2, or for the
//	          newest version more than ?3 since its start
//	numbered  the number of the version of each change
//	versions  the new versions, and the later end of the continued one
//	before    the state before the version: of the first change of each target that has one
//	after     whether the target is gone: by the last change
//	written   one row for each target of a version
const recordVersionsQuery = `
	WITH taken AS (
		DELETE FROM changes WHERE sequence = ANY(?1::bigint[]) RETURNING *
	), newest AS (
		SELECT DISTINCT ON (space_id) space_id, sequence, origin, started_at, ended_at
		FROM space_versions WHERE space_id = ANY(?0::text[]) ORDER BY space_id, sequence DESC
	), marked AS (
		SELECT t.*, coalesce(n.sequence, 0) AS newest, CASE WHEN lag(t.sequence) OVER burst IS NULL
			THEN n.sequence IS NULL OR NOT t.repeated AND (
				t.origin <> n.origin OR t.at - n.ended_at > ?2::interval OR t.at - n.started_at > ?3::interval)
			ELSE NOT t.repeated AND (
				t.origin <> lag(t.origin) OVER burst OR t.at - lag(t.at) OVER burst > ?2::interval) END AS starts
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
		SELECT DISTINCT ON (space_id, version, target) space_id, version, target, type, before, bytes, repeated
		FROM numbered ORDER BY space_id, version, target, repeated, sequence
	), after AS (
		SELECT DISTINCT ON (space_id, version, target) space_id, version, target, op = 3 AS gone
		FROM numbered ORDER BY space_id, version, target, sequence DESC
	), written AS (
		INSERT INTO version_changes AS c (space_id, version, target, op, type, before, bytes)
		SELECT space_id, version, target,
			CASE WHEN type IS NULL AND gone THEN 0 WHEN type IS NULL THEN 1 WHEN gone THEN 3 ELSE 2 END, type, before, bytes
		FROM before JOIN after USING (space_id, version, target)
		WHERE NOT repeated OR EXISTS (
			SELECT FROM version_changes AS v
			WHERE v.space_id = before.space_id AND v.version = before.version AND v.target = before.target)
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
			256 + sum(64 + octet_length(target) + c.bytes) AS bytes
		FROM version_changes AS c JOIN unnest(?::text[], ?::bigint[]) AS n (space_id, version) USING (space_id, version)
		GROUP BY space_id, version
	) AS c WHERE v.space_id = c.space_id AND v.sequence = c.version`

// RecordVersions records up to limit changes of a space as versions. It waits for the transaction
// that holds the history of the account. It removes the versions beyond the limits, and after the
// commit the oldest of an account whose storage is full. It returns the number of changes that it
// found, or 0 if it recorded none.
//
// The events of webhooks are added in the same transaction as the versions, before the changes are
// deleted, and both statements name the same changes: each change is reported once.
func (db History) RecordVersions(ctx context.Context, spaceID string, limits model.HistoryLimits, limit int) (int, error) {
	found, owners, err := db.unrecorded(ctx, spaceID, nil, limit)
	if err != nil || found == 0 {
		return 0, err
	}
	err = db.InTx(ctx, func(tx *DB) error {
		if err := tx.History().LockHistory(ctx, spaceID); err != nil {
			return err
		}
		found, err = tx.History().recordChanges(ctx, spaceID, owners, limits, limit, found)
		return err
	})
	return found, err
}

// RecordFreeVersions is RecordVersions without the wait, for the changes of one space, or of all
// spaces if spaceID is empty. It leaves the changes of an account whose history another transaction
// holds for a later call: one account must not delay the others. limit is also the maximum number
// of locks.
func (db History) RecordFreeVersions(ctx context.Context, spaceID string, limits model.HistoryLimits, limit int) (int, error) {
	count := 0
	err := db.InTx(ctx, func(tx *DB) error {
		found, owners, err := tx.History().lockUnrecorded(ctx, spaceID, limit)
		if err != nil || found == 0 {
			return err
		}
		count, err = tx.History().recordChanges(ctx, spaceID, owners, limits, limit, found)
		return err
	})
	return count, err
}

// lockUnrecorded holds the free histories among the accounts with the oldest changes, and returns
// these accounts. found is the number of changes that it looked at, up to limit. If all these
// changes are of accounts whose history is held, it goes on with the changes of other accounts.
func (db History) lockUnrecorded(ctx context.Context, spaceID string, limit int) (found int, free []string, err error) {
	var held, owners []string
	for {
		if found, owners, err = db.unrecorded(ctx, spaceID, held, limit); err != nil || found == 0 {
			return 0, nil, err
		}
		if free, err = db.lockFreeHistories(ctx, owners); err != nil || len(free) > 0 {
			return found, free, err
		}
		held = append(held, owners...)
	}
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
	// Cut reports whether more changes were found than a batch may have in bytes.
	Cut bool
}

// unrecorded returns the number of changes that are not recorded yet, up to limit, and the accounts
// whose spaces they changed. It leaves out the accounts without. It reads the owner from the id of
// the space, because the space may have been deleted.
func (db History) unrecorded(ctx context.Context, spaceID string, without []string, limit int) (int, []string, error) {
	var changes struct {
		Count  int
		Owners []string `bun:",array"`
	}
	err := db.idb.NewRaw(`
		SELECT count(*) AS count, coalesce(array_agg(DISTINCT `+ownerOf("space_id")+`), '{}') AS owners
		FROM (
			SELECT space_id FROM changes
			WHERE (?0 = '' OR space_id = ?0) AND `+ownerOf("space_id")+` <> ALL(coalesce(?2::text[], '{}'))
			ORDER BY sequence LIMIT ?1
		) AS batch`,
		spaceID, limit, pgdialect.Array(without)).Scan(ctx, &changes)
	return changes.Count, changes.Owners, translate(err)
}

// recordChanges records up to limit changes of the accounts, whose histories the transaction holds.
// It returns found, or 0 if it recorded none, or limit if it recorded only some because of their
// size: then there are more.
func (db History) recordChanges(
	ctx context.Context, spaceID string, owners []string, limits model.HistoryLimits, limit, found int,
) (int, error) {
	batch, err := db.claimChanges(ctx, spaceID, owners, limit)
	if err != nil || len(batch.Changes) == 0 {
		return 0, err
	}
	if batch.Cut {
		found = limit
	}
	return found, db.recordBatch(ctx, batch, limits)
}

// maxBatchBytes is the size of the states after which a batch takes no more changes. 500 states of
// a megabyte would take longer than a statement may.
const maxBatchBytes = 16 << 20

// claimChanges selects the changes of the accounts, and locks the spaces of the changes against
// deletion. Without the lock, recording and deleting a space could deadlock.
//
// Another transaction may have recorded the changes that unrecorded found, so it selects them
// again.
func (db History) claimChanges(ctx context.Context, spaceID string, owners []string, limit int) (*changeBatch, error) {
	batch := new(changeBatch)
	err := db.idb.NewRaw(`
		SELECT coalesce(array_agg(DISTINCT space_id), '{}') AS spaces, coalesce(array_agg(sequence) FILTER (WHERE fits), '{}') AS changes,
			coalesce(array_agg(DISTINCT owner), '{}') AS owners, coalesce(NOT bool_and(fits), false) AS cut,
			EXISTS (SELECT FROM webhooks WHERE disabled_at IS NULL AND user_id = ANY(array_agg(DISTINCT owner))) AS reported
		FROM (
			SELECT *, sum(bytes) OVER (ORDER BY sequence) - bytes < ?3 AS fits FROM (
				SELECT space_id, sequence, bytes, `+ownerOf("space_id")+` AS owner FROM changes
				WHERE `+ownerOf("space_id")+` = ANY(?2::text[]) AND (?0 = '' OR space_id = ?0) ORDER BY sequence LIMIT ?1
			) AS oldest
		) AS batch`,
		spaceID, limit, pgdialect.Array(owners), maxBatchBytes).Scan(ctx, batch)
	if err != nil || len(batch.Changes) == 0 {
		return batch, translate(err)
	}
	return batch, db.lockAgainstDeletion(ctx, batch.Spaces)
}

// recordBatch adds the events and the versions of the changes, and deletes the changes.
func (db History) recordBatch(ctx context.Context, batch *changeBatch, limits model.HistoryLimits) error {
	if batch.Reported {
		if err := db.Webhooks().addChangeEvents(ctx, batch); err != nil {
			return fmt.Errorf("add events of webhooks: %w", err)
		}
	}
	if limits.Versions == 0 {
		_, err := db.idb.NewRaw("DELETE FROM changes WHERE sequence = ANY(?::bigint[])", pgdialect.Array(batch.Changes)).Exec(ctx)
		return translate(err)
	}
	db.afterCommit.grownAccounts = append(db.afterCommit.grownAccounts, batch.Owners...)
	return db.recordVersions(ctx, batch, limits)
}

// recordVersions stores the versions that a batch of changes makes, and counts their bytes.
func (db History) recordVersions(ctx context.Context, batch *changeBatch, limits model.HistoryLimits) error {
	var written []struct {
		SpaceID  string
		Sequence int64
	}
	err := db.idb.NewRaw(recordVersionsQuery, pgdialect.Array(batch.Spaces), pgdialect.Array(batch.Changes),
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
