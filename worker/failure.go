package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
	"portico/splat"
	"portico/storage"
	"portico/worker/child"
)

// verdict is the message for a failed job's owner, and the level of the log: a bad
// file is daily business, trouble of ours is for the operator.
type verdict struct {
	reason string
	level  slog.Level
}

var tookTooLong = verdict{fmt.Sprintf("Took longer than %.0f hours", attemptTimeout.Hours()), slog.LevelWarn}

// judge returns what is to be said of an error, and whether it is final, so that
// another try would not change it.
func judge(err error) (v verdict, final bool) {
	if fault, ok := asInput(err); ok {
		return verdict{fault.Error(), slog.LevelInfo}, true
	}
	switch {
	case errors.Is(err, storage.ErrFull):
		// What a new try in a second would find is a disk that half a capture
		// still lies on. To fail is what makes room.
		return verdict{"The server has no storage left for this file", slog.LevelError}, true
	case errors.Is(err, storage.ErrNotFound):
		return verdict{model.UploadNotFound, slog.LevelError}, true
	}
	if ended, ok := errors.AsType[*child.Error](err); ok {
		return verdict{ended.Reason, slog.LevelError}, ended.Final
	}
	known := model.AsError(err)
	if known.Code == model.CodeInternal {
		return verdict{known.Message, slog.LevelError}, false
	}
	return verdict{known.Message, slog.LevelInfo}, true
}

// asInput returns the fault in the user's file that err is, if it is one.
func asInput(err error) (*splat.InputError, bool) { return errors.AsType[*splat.InputError](err) }

// fail ends the job for good; nothing of its upload is kept.
func (a *attempt) fail(ctx context.Context, v verdict, cause error) error {
	var job *model.Job
	err := a.db.InTx(ctx, func(tx *db.DB) (err error) {
		job, err = tx.GiveUpJob(ctx, a.job.ID, a.job.Attempt, v.reason)
		return err
	})
	if err != nil {
		return fmt.Errorf("fail job %s: %w", a.job.ID, err)
	}
	if job == nil {
		return a.leave(ctx)
	}
	a.outcome = Failed
	a.log.Log(ctx, v.level, "job failed", append(a.spent(), "error", cause)...)
	a.removeUpload(ctx)
	return nil
}

// leave stops working on a job that is not this attempt's any more. If it was
// canceled, nobody else works on it, and what was stored meanwhile goes. The
// upload says so, which is kept for longer than the job.
func (a *attempt) leave(ctx context.Context) error {
	a.outcome = Left
	upload, err := a.db.Upload(ctx, a.job.UploadID)
	gone := model.CodeOf(err) == model.CodeNotFound // with its owner
	switch {
	case err != nil && !gone:
		a.log.Warn("job left, what it stored is for the purge", "error", err)
	case gone || upload.State == model.UploadFailed:
		a.outcome = Canceled
		a.log.Info("job canceled", a.spent()...)
		a.removeUpload(ctx)
	default:
		a.log.Warn("job left to another attempt", a.spent()...)
	}
	return nil
}

// removeUpload removes what a failed job's upload has in the store. What it
// misses is written down for the purge.
func (a *attempt) removeUpload(ctx context.Context) {
	if err := a.readUpload(ctx); err != nil {
		a.log.Warn("remove the upload of a failed job", "error", err)
		return
	}
	a.remover.remove(ctx, a.upload.StorageKey(), a.upload.StorageRoot(), model.NewFile(a.upload).DerivedStorageRoot())
}

// handBack lets another worker begin again at once, since this one stops.
func (a *attempt) handBack(ctx context.Context) error {
	if _, err := a.db.HandBackJob(ctx, a.job.ID, a.job.Attempt); err != nil {
		return fmt.Errorf("hand job %s back: %w", a.job.ID, err)
	}
	a.outcome = HandedBack
	a.log.Info("job handed back", a.spent()...)
	// River takes its attempt off again and makes the row available at once.
	return river.JobSnooze(0)
}
