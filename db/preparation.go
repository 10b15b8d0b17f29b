package db

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// What is done for a file behind its owner's back is River's alone: no client
// sees a job of it.
const (
	// PreparationKind is the kind of looking into a file: facts and a poster.
	PreparationKind = "preparation"
	// ViewKind is the kind of making a view, for a file that no viewer reads.
	ViewKind = "view"
)

// preparationArgs is what River keeps for both kinds.
type preparationArgs struct {
	ResourceKey string `json:"resource_key"`
	TraceParent string `json:"traceparent,omitempty"`
}

// EnqueuePreparation has a file looked into, in the transaction that db is. Once
// is enough: while one waits or runs, another is not added.
func (db *DB) EnqueuePreparation(ctx context.Context, resourceKey string) error {
	return db.enqueueUnseen(ctx, PreparationKind, resourceKey)
}

// EnqueueView has a view made of a file, unless it has one by then; otherwise it
// is EnqueuePreparation.
func (db *DB) EnqueueView(ctx context.Context, resourceKey string) error {
	return db.enqueueUnseen(ctx, ViewKind, resourceKey)
}

// enqueueUnseen inserts what nobody is told of. The kind's queue has its name.
// River looks for it every second: there is no hurry that a notification would
// be worth.
func (db *DB) enqueueUnseen(ctx context.Context, kind, resourceKey string) error {
	args, err := json.Marshal(preparationArgs{ResourceKey: resourceKey, TraceParent: traceParent(ctx)})
	if err != nil {
		return err
	}
	// River's unique index: the bits stand for the states in which the key is
	// taken, here available, pending, retryable, running and scheduled.
	unique := sha256.Sum256([]byte(kind + "\x00" + resourceKey))
	_, err = db.idb.ExecContext(ctx, `
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, unique_key, unique_states)
		VALUES (?, ?, 1000, 1, ?, 'available', now(), ?, B'11110001')
		ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND unique_states IS NOT NULL
			AND river_job_state_in_bitmask(unique_states, state) DO NOTHING`,
		string(args), kind, kind, unique[:])
	if err != nil {
		return fmt.Errorf("enqueue the %s of %s: %w", kind, resourceKey, translate(err))
	}
	return nil
}

// RescuePreparations is Rescue for preparations and views. The attempts go on
// counting, since no other row does it for these.
func (db *DB) RescuePreparations(ctx context.Context, lease time.Duration) (int, error) {
	var ids []int64
	err := db.idb.NewRaw(`
		WITH lost AS (
			UPDATE river_job SET state = 'discarded', finalized_at = now()
			WHERE state = 'running' AND kind IN (?, ?) AND attempted_at < now() - ?::interval
			RETURNING args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states
		)
		INSERT INTO river_job (args, attempt, kind, max_attempts, priority, queue, unique_key, unique_states, state, scheduled_at)
		SELECT lost.*, 'available', now() FROM lost RETURNING id`,
		PreparationKind, ViewKind, fmt.Sprintf("%d milliseconds", lease.Milliseconds())).Scan(ctx, &ids)
	return len(ids), translate(err)
}

// FileToPrepare returns the file, whoever's it is; nil where it was deleted.
func (db *DB) FileToPrepare(ctx context.Context, resourceKey string) (*model.File, error) {
	var rows []*model.File
	err := db.idb.NewSelect().Model(&rows).Where("resource_key = ?", resourceKey).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return rows[0], nil
}

// SetFacts stores what was found in a file, if it is still there. Where the file is
// found to be damaged, the message of the job that made it says so from then on.
func (db *DB) SetFacts(ctx context.Context, resourceKey string, facts *model.FileFacts) error {
	return db.InTx(ctx, func(tx *DB) error {
		var files []*model.File
		err := tx.idb.NewUpdate().Model((*model.File)(nil)).Set("facts = ?", facts).
			Where("resource_key = ?", resourceKey).Returning("*").Scan(ctx, &files)
		if err != nil || len(files) == 0 || files[0].Warning() == nil {
			return translate(err)
		}
		return tx.warnInJob(ctx, files[0])
	})
}

// warnInJob puts the warning of a file into the message of its job, which has ended
// with it and may be forgotten by now.
func (db *DB) warnInJob(ctx context.Context, file *model.File) error {
	var jobs []*model.Job
	err := db.idb.NewRaw(`
		UPDATE jobs SET message = ?, updated_at = greatest(now(), ?)
		WHERE upload_id = ? AND status = 'completed' AND message <> ? RETURNING *`,
		file.CompletedMessage(), model.Now(), file.UploadID, file.CompletedMessage()).Scan(ctx, &jobs)
	for _, job := range jobs {
		db.Announce(JobTopic(job.ID), JobsTopic(job.UserID))
	}
	return translate(err)
}

// AddPoster gives the file its poster, of so many bytes, and reports whether it
// took it: it does not where it was deleted, has one, or where its owner has no
// storage left for it.
func (db *DB) AddPoster(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "poster_key", key, bytes)
}

// AddView is AddPoster for a view; key names its first object.
func (db *DB) AddView(ctx context.Context, file *model.File, key string, bytes int64) (bool, error) {
	return db.addDerived(ctx, file, "view_key", key, bytes)
}

func (db *DB) addDerived(ctx context.Context, file *model.File, column, key string, bytes int64) (added bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		account, err := tx.LockStorage(ctx, file.UserID)
		if model.CodeOf(err) == model.CodeNotFound {
			return nil // deleted with its owner
		}
		if err != nil || account.Free() < bytes {
			return err
		}
		added, err = changed(tx.idb.NewUpdate().Model((*model.File)(nil)).
			Set("? = ?", bun.Ident(column), key).Set("derived_bytes = derived_bytes + ?", bytes).
			Where("resource_key = ? AND ? IS NULL", file.ResourceKey, bun.Ident(column)).Exec(ctx))
		return err
	})
	return added, err
}
