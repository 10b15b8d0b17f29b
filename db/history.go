package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// The history of an account is the versions of all its spaces. One transaction at a time holds it,
// to record or remove versions, until the transaction ends.
//
// It is one lock for each account and not for each space, because each version also changes the row
// of the account in history_usage: transactions with several spaces would lock these rows in
// different orders. A transaction waits for the history of at most one account. If it needs several
// histories, it takes the free ones and leaves the others. So transactions never deadlock, and a
// long restore delays only its owner.

// historyLockArguments returns the arguments of the lock on the history of an account.
//
// It has two numbers, so it is in another key space than the locks of advisorylock.go.
func historyLockArguments(owner string) string { return "hashtext('history'), hashtext(" + owner + ")" }

// LockHistory waits until no other transaction records or removes versions of the account, or of
// the owner of the space, and holds the history until the transaction ends. A transaction may call
// it for one account only.
func (db *DB) LockHistory(ctx context.Context, accountOrSpace string) error {
	_, err := db.idb.NewRaw("SELECT pg_advisory_xact_lock("+historyLockArguments(ownerOf("?::text"))+")", accountOrSpace).Exec(ctx)
	return translate(err)
}

// lockFreeHistories holds the histories of the accounts that no other transaction holds, and
// returns these accounts. It does not wait for them.
func (db *DB) lockFreeHistories(ctx context.Context, owners []string) (free []string, err error) {
	err = db.idb.NewRaw("SELECT id FROM unnest(?::text[]) AS owner (id) WHERE pg_try_advisory_xact_lock("+historyLockArguments("id")+")",
		pgdialect.Array(owners)).Scan(ctx, &free)
	return free, translate(err)
}

// lockAgainstDeletion locks the spaces so that no other transaction deletes them.
func (db *DB) lockAgainstDeletion(ctx context.Context, ids []string) error {
	_, err := db.idb.NewRaw("SELECT id FROM spaces WHERE id = ANY(?::text[]) ORDER BY id FOR KEY SHARE", pgdialect.Array(ids)).Exec(ctx)
	return translate(err)
}

// maxHistory is the part of the quota u.quota that the history of an account may take.
const maxHistory = "(u.quota / 2)"

// trimHistories deletes the oldest versions of those accounts that are over their quota, or whose
// history takes more than its part of it, until they are within both: old versions must not prevent
// an owner from writing. The newest version of each space stays, so that numbers are never used
// again.
//
// InTx calls it after the commit, for each account in a transaction of its own. An outer
// transaction, such as a restore, has locked what deletions of other spaces of the account wait
// for.
func (db *DB) trimHistories(ctx context.Context, owners []string) error {
	var full []string
	err := db.idb.NewRaw(`SELECT u.id FROM users AS u, storage_of(u.id) AS s
		WHERE u.id = ANY(?::text[]) AND (s.used + s.promised > u.quota
			OR EXISTS (SELECT FROM history_usage AS h WHERE h.`+belongsTo("u.id")+` AND h.bytes > `+maxHistory+`))`, pgdialect.Array(owners)).Scan(ctx, &full)
	if err != nil {
		return translate(err)
	}
	for _, owner := range full {
		if err := db.InTx(ctx, func(tx *DB) error { return tx.trimHistory(ctx, owner) }); err != nil {
			return err
		}
	}
	return nil
}

// trimHistory removes the oldest versions of an account that trimHistories has found. It locks the
// history, so it runs in a transaction.
func (db *DB) trimHistory(ctx context.Context, owner string) error {
	if err := db.LockHistory(ctx, owner); err != nil {
		return err
	}
	_, err := db.removeVersions(ctx, `
		WITH full_account AS (
			SELECT greatest(s.used + s.promised - u.quota, h.bytes - `+maxHistory+`) AS excess
			FROM storage_of(?0) AS s, users AS u LEFT JOIN history_usage AS h ON h.`+belongsTo("u.id")+` WHERE u.id = ?0
		), aged AS (
			SELECT v.space_id, v.sequence, a.excess,
				sum(v.bytes) OVER (ORDER BY v.ended_at, v.space_id, v.sequence) - v.bytes AS older,
				max(v.sequence) OVER (PARTITION BY v.space_id) AS newest
			FROM full_account AS a, spaces AS s JOIN space_versions AS v ON v.space_id = s.id WHERE s.`+ownedBy("?0")+`
		)
		SELECT space_id, max(sequence) AS last FROM aged WHERE older < excess AND sequence < newest
		GROUP BY space_id ORDER BY space_id`, owner)
	return err
}

// PurgeHistory removes the versions of up to maxSpaces spaces that are too old, and returns the
// number of spaces. The newest version of a space stays, so that numbers are never used again,
// unless no history is kept. It leaves out the histories that other transactions hold.
//
// What is too old when the statement starts is still too old when it holds the history.
func (db *DB) PurgeHistory(ctx context.Context, limits model.HistoryLimits, maxSpaces int) (int, error) {
	age, kept := limits.Age, 1
	if limits.Versions == 0 {
		age, kept = 0, 0
	}
	purged := 0
	err := db.InTx(ctx, func(tx *DB) (err error) {
		purged, err = tx.removeVersions(ctx, `
			WITH old AS MATERIALIZED (
				SELECT space_id, last FROM (
					SELECT o.space_id, least(max(o.sequence), (SELECT max(sequence) FROM space_versions AS n WHERE n.space_id = o.space_id) - ?) AS last
					FROM space_versions AS o WHERE o.ended_at <= now() - ?::interval GROUP BY o.space_id
				) AS o WHERE EXISTS (SELECT 1 FROM space_versions AS v WHERE v.space_id = o.space_id AND v.sequence <= o.last)
				ORDER BY space_id LIMIT ?
			)
			SELECT space_id, last FROM old WHERE pg_try_advisory_xact_lock(`+historyLockArguments(ownerOf("space_id"))+`)
			ORDER BY space_id`, kept, milliseconds(age), maxSpaces)
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
