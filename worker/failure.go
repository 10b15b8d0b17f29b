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

// verdict describes a failure.
type verdict struct {
	// reason is the message for the job's owner.
	reason string
	// level is the level of the log: a damaged file is the user's concern, and trouble
	// of the server is the operator's.
	level slog.Level
}

var tookTooLong = verdict{fmt.Sprintf("Took longer than %.0f hours", attemptTimeout.Hours()), slog.LevelWarn}

// judge returns the verdict for an error, and whether it is final: another try would end
// in the same way.
func judge(err error) (v verdict, final bool) {
	if fault, ok := asInput(err); ok {
		return verdict{fault.Error(), slog.LevelInfo}, true
	}
	switch {
	case errors.Is(err, storage.ErrFull):
		// A new try in a second would find the disk just as full. Failing the job
		// frees the space of its upload.
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

// asInput returns the fault in the user's file, if err is one.
func asInput(err error) (*splat.InputError, bool) { return errors.AsType[*splat.InputError](err) }

// fail ends the job for good and removes its upload.
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
	a.log.Log(ctx, v.level, "job failed", append(a.usage(), "error", cause)...)
	a.removeUpload(ctx)
	return nil
}

// leave ends an attempt that has lost its job. If the job was canceled, no other attempt
// works on it, and this one removes what it has stored. The state of the upload shows
// this; its row is kept for longer than the job's.
func (a *attempt) leave(ctx context.Context) error {
	a.outcome = Left
	upload, err := a.db.Upload(ctx, a.job.UploadID)
	gone := model.CodeOf(err) == model.CodeNotFound // with its owner
	switch {
	case err != nil && !gone:
		a.log.Warn("job left, the purge removes what it stored", "error", err)
	case gone || upload.State == model.UploadFailed:
		a.outcome = Canceled
		a.log.Info("job canceled", a.usage()...)
		a.removeUpload(ctx)
	default:
		a.log.Warn("job left to another attempt", a.usage()...)
	}
	return nil
}

// removeUpload removes the objects of a failed job's upload from the store. The purge
// removes those that fail here.
func (a *attempt) removeUpload(ctx context.Context) {
	if err := a.readUpload(ctx); err != nil {
		a.log.Warn("remove the upload of a failed job", "error", err)
		return
	}
	a.remover.remove(ctx, a.upload.StorageKey(), a.upload.StorageRoot(), model.NewFile(a.upload).DerivedStorageRoot())
}

// handBack makes the job available to other workers at once, because this one stops.
func (a *attempt) handBack(ctx context.Context) error {
	if _, err := a.db.HandBackJob(ctx, a.job.ID, a.job.Attempt); err != nil {
		return fmt.Errorf("hand job %s back: %w", a.job.ID, err)
	}
	a.outcome = HandedBack
	a.log.Info("job handed back", a.usage()...)
	// A snooze does not count as an attempt and makes the row available at once.
	return river.JobSnooze(0)
}
