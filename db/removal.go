package db

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// removalRow is an object, or a folder, that is scheduled for removal.
//
// A removal is the promise to delete objects that no row refers to. It is written in the
// transaction that deletes the last row, because the store is not part of it: a crash between the
// two would otherwise leave objects that nobody knows. Deleting an object twice does no harm, so a
// removal may run again.
//
//	sweep_at   the object is deleted at this time for the first time, and its storage is freed
//	due_at     nothing writes the object any more: it is deleted for the last time, and the row too
type removalRow struct {
	bun.BaseModel `bun:"table:removals,alias:removal"`

	Key   string `bun:",pk"`
	DueAt model.Time
}

// ScheduleRemovals schedules the removal of objects, or of folders (keys that end in a slash). If
// rows refer to them, call it in the transaction that removes the last of these rows. due is the
// time after which nothing writes them. DueRemovals compares it with the clock of the database, so
// the same time from now must have passed on that clock too. A key that has a removal keeps the
// later time.
func (db Files) ScheduleRemovals(ctx context.Context, due time.Time, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	rows := make([]removalRow, len(keys))
	for i, key := range keys {
		rows[i] = removalRow{Key: key}
	}
	_, err := db.idb.NewInsert().Model(&rows).
		Value("due_at", "greatest(?, now() + ? * interval '1 second')", due.UTC(), time.Until(due).Seconds()).
		On("CONFLICT (key) DO UPDATE").Set("due_at = greatest(removal.due_at, EXCLUDED.due_at)").Exec(ctx)
	return translate(err)
}

// DueRemovals returns up to limit keys that are due for removal, oldest first.
func (db Files) DueRemovals(ctx context.Context, limit int) ([]string, error) {
	var keys []string
	err := db.idb.NewSelect().Model((*removalRow)(nil)).Column("key").Where("due_at <= now()").
		Order("due_at").Limit(int64(limit)).Scan(ctx, &keys)
	return keys, translate(err)
}

// FinishRemoval deletes the removal of an object that was deleted from the store, if the removal is
// due. Until then the object may be written again, so the removal is kept. A removal that another
// transaction has postponed since stays too.
func (db Files) FinishRemoval(ctx context.Context, key string) error {
	_, err := db.idb.NewDelete().Model((*removalRow)(nil)).
		Where("key = ? AND due_at <= now()", key).Exec(ctx)
	return translate(err)
}

// CancelRemoval deletes a removal that is not due, and reports whether it did. A caller that stores
// objects records their removal before, and cancels it in the transaction that adds the row that
// refers to them, at the end: the purge may delete the objects as soon as the removal is due.
//
// A removal that is due within a minute stays. So the purge does not find it due before the
// transaction is committed, for which idle_in_transaction_session_timeout leaves less than a
// minute.
func (db Files) CancelRemoval(ctx context.Context, key string) (bool, error) {
	return rowChanged(db.idb.NewDelete().Model((*removalRow)(nil)).
		Where("key = ? AND due_at > clock_timestamp() + interval '1 minute'", key).Exec(ctx))
}

// Removal is an object, or a folder (a key that ends in a slash), that no row refers to
// once the transaction is committed.
type Removal struct {
	Key string
	// Due is the time from which nothing writes the object again.
	Due time.Time
	// UserID is the account whose storage counts Bytes until the object is deleted.
	UserID string
	Bytes  int64
	// Sweep is when the object is deleted for the first time, before Due. Its storage is freed
	// once it was deleted at or after this time.
	Sweep time.Time
	// JobID and Attempt are the attempt that stores the object as the result of its job. Bytes do
	// not count while this attempt may complete the job. "" means no attempt.
	JobID   string
	Attempt int
}

// RemovalOf returns the removal of the bytes of an upload that was discarded or failed. Until the
// URL of the upload has expired, a store that does not know the state of uploads may accept the
// bytes again. Only a request that is already running can append to a resumable upload.
func RemovalOf(upload *model.Upload) Removal {
	if upload.Resumable {
		now := time.Now()
		return Removal{Key: upload.StorageKey(), Due: now.Add(time.Hour), UserID: upload.UserID, Bytes: upload.Size, Sweep: now}
	}
	return Removal{
		Key: upload.StorageKey(), Due: upload.GraceEnds(), UserID: upload.UserID, Bytes: upload.Size, Sweep: upload.ExpiresAt.Time,
	}
}

// sweepInterval is the interval at which late bytes are deleted.
const sweepInterval = "5 minutes"

// AddRemoval schedules a removal whose bytes count as used until the object is deleted. The result
// of a job starts to count later: see Removal.JobID.
//
// Sweep is sent as the seconds from now, which the database adds to its own time: the clocks of the
// replicas need not agree. Due is sent in this way and also as a time. The later one applies, so
// that the last deletion is not too early by either clock.
func (db Files) AddRemoval(ctx context.Context, r Removal) error {
	_, err := db.idb.NewRaw(`
		INSERT INTO removals (key, user_id, bytes, job_id, attempt, due_at, sweep_at)
		VALUES (?, ?, ?, nullif(?, ''), nullif(?, 0),
			greatest(?, now() + ? * interval '1 second'), now() + greatest(0, ?) * interval '1 second')
		ON CONFLICT (key) DO UPDATE SET
			user_id = EXCLUDED.user_id, bytes = greatest(removals.bytes, EXCLUDED.bytes),
			job_id = EXCLUDED.job_id, attempt = EXCLUDED.attempt,
			due_at = greatest(removals.due_at, EXCLUDED.due_at), sweep_at = EXCLUDED.sweep_at`,
		r.Key, r.UserID, r.Bytes, r.JobID, r.Attempt, r.Due.UTC(), time.Until(r.Due).Seconds(), time.Until(r.Sweep).Seconds()).Exec(ctx)
	return translate(err)
}

// AddResult is AddRemoval for the result that an attempt is about to store. It reports whether the
// attempt may still complete the job, and adds nothing otherwise.
//
// The lock on the job lets no other attempt start before the commit, so SweepResults of the next
// attempt finds the removal.
func (db Files) AddResult(ctx context.Context, r Removal) (current bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		if err := tx.Accounts().preventUserDeletion(ctx, "SELECT user_id FROM jobs WHERE id = ?", r.JobID); err != nil {
			return err
		}
		current, err = rowChanged(tx.idb.ExecContext(ctx,
			"SELECT FROM jobs WHERE id = ? AND attempt = ? AND status = 'processing' FOR SHARE", r.JobID, r.Attempt))
		if err != nil || !current {
			return err
		}
		return tx.Files().AddRemoval(ctx, r)
	})
	return current, err
}

// FinishSweep frees the storage of a removal whose object was deleted. If late is true, bytes may
// still arrive: then it frees nothing before the time of the sweep, and schedules another sweep
// until the removal is due.
//
// The bytes are freed once: the next sweeps find bytes 0.
func (db Files) FinishSweep(ctx context.Context, key string, late bool) error {
	_, err := db.idb.NewRaw(`
		UPDATE removals SET bytes = 0, sweep_at = CASE WHEN ?1 THEN now() + interval '`+sweepInterval+`' END
		WHERE key = ?0 AND sweep_at IS NOT NULL AND (NOT ?1 OR sweep_at <= now())`, key, late).Exec(ctx)
	return translate(err)
}

// SweepResults makes the results that attempts at a job have stored below root due for a sweep, and
// returns their keys. It returns none if job.Attempt is no longer the current attempt, because the
// result of a later attempt may be among them.
//
// The condition on the attempt is in the same statement: a later attempt that starts meanwhile
// stores its result after the snapshot of the statement.
func (db Files) SweepResults(ctx context.Context, job *model.Job, root string) ([]string, error) {
	var keys []string
	err := db.idb.NewRaw(`
		UPDATE removals SET sweep_at = now()
		WHERE `+belongsTo("?")+` AND bytes > 0 AND starts_with(key, ?)
			AND EXISTS (SELECT FROM jobs WHERE id = ? AND attempt = ?) RETURNING key`,
		job.UserID, root, job.ID, job.Attempt).Scan(ctx, &keys)
	return keys, translate(err)
}

// DueSweeps returns up to limit keys whose sweep is due but whose removal is not, oldest
// first.
func (db Files) DueSweeps(ctx context.Context, limit int) ([]string, error) {
	var keys []string
	err := db.idb.NewSelect().Model((*removalRow)(nil)).Column("key").Where("sweep_at <= now() AND due_at > now()").
		Order("sweep_at").Limit(int64(limit)).Scan(ctx, &keys)
	return keys, translate(err)
}

// PostponeSweep postpones the sweep of an object that could not be deleted, so that it
// does not hold up the others.
func (db Files) PostponeSweep(ctx context.Context, key string) error {
	_, err := db.idb.NewRaw("UPDATE removals SET sweep_at = now() + interval '"+sweepInterval+"' WHERE key = ?", key).Exec(ctx)
	return translate(err)
}
