package db

import (
	"testing"
	"time"

	"portico/model"
)

// What was given up of a file is forgotten and tried again.
func TestRetryFile_forgets_the_failures(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	file := model.NewFile(addUpload(t, db, user, 10, time.Hour))
	_, err := db.Files().StoreFile(ctx, file, model.UploadPending)
	check(t, err)
	if started, err := db.Files().RetryFile(ctx, file.ResourceKey); err != nil || started {
		t.Errorf("nothing failed: got %v, %v, want false", started, err)
	}
	for _, step := range []model.PreparationStep{model.StepView, model.StepPoster} {
		check(t, db.Files().SetFailure(ctx, file, step, "too dark"))
	}
	failed, err := db.Files().FailedFiles(ctx, 10)
	check(t, err)
	if len(failed) != 1 || len(failed[0].Steps()) != 2 || failed[0].Steps()[0].Reason != "too dark" {
		t.Fatalf("failed files: got %v, want the one with both steps", failed)
	}
	_, err = db.idb.ExecContext(ctx, "DELETE FROM river_job")
	check(t, err)
	if started, err := db.Files().RetryFile(ctx, file.ResourceKey); err != nil || !started {
		t.Errorf("retry: got %v, %v, want true", started, err)
	}
	if got := number(t, db, "SELECT count(*) FROM river_job WHERE kind IN (?, ?)", ViewKind, PreparationKind); got != 2 {
		t.Errorf("enqueued: got %d, want both", got)
	}
	if failed, err = db.Files().FailedFiles(ctx, 10); err != nil || len(failed) != 0 {
		t.Errorf("failed files afterwards: got %v, %v, want none", failed, err)
	}
	_, err = db.Files().RetryFile(ctx, "unknown")
	checkCode(t, err, model.CodeNotFound)
}
