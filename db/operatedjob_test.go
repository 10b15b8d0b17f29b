package db

import (
	"testing"
	"time"

	"portico/model"
)

// A failed conversion starts again as a new job; the bytes of a failed upload are deleted.
func TestRetryJob_starts_a_new_job(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	upload := addJob(t, db, user)
	if _, err := db.Jobs().RetryJob(ctx, upload.ID); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("retry a waiting job: got %v, want it refused", err)
	}
	stopped, err := db.Jobs().CancelAnyJob(ctx, upload.ID)
	check(t, err)
	if stopped.Status != model.JobFailed || stopped.OwnerEmail != user.Email || stopped.CanRetry() {
		t.Errorf("stopped job: got %+v, want it failed permanently", stopped)
	}
	for _, id := range []string{upload.ID, "unknown"} {
		if _, err := db.Jobs().CancelAnyJob(ctx, id); err == nil {
			t.Errorf("stop %s: got no error, want one", id)
		}
	}

	source := addUpload(t, db, user, 10, time.Hour)
	file := model.NewFile(source)
	_, err = db.Files().StoreFile(ctx, file, model.UploadPending)
	check(t, err)
	result, started := model.NewConversion(file, model.ConvertToSOG, "")
	conversion, err := db.Files().StartFileJob(ctx, result, started)
	check(t, err)
	_, err = db.Jobs().CancelAnyJob(ctx, conversion.ID)
	check(t, err)
	again, err := db.Jobs().RetryJob(ctx, conversion.ID)
	check(t, err)
	if again.ID == conversion.ID || again.Status != model.JobQueued || again.UserID != user.ID || again.ConvertTo != model.ConvertToSOG {
		t.Errorf("new job: got %+v, want the same conversion", again)
	}
	_, err = db.Jobs().CancelAnyJob(ctx, again.ID)
	check(t, err)
	if _, err := db.Jobs().RetryJob(ctx, conversion.ID); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("retry twice: got %v, want it refused", err)
	}
	old, err := db.Jobs().OperatedJob(ctx, conversion.ID)
	check(t, err)
	newest, err := db.Jobs().OperatedJob(ctx, again.ID)
	check(t, err)
	if old.CanRetry() || !newest.CanRetry() {
		t.Errorf("can retry: got %t for the old job and %t for the newest, want only the newest", old.CanRetry(), newest.CanRetry())
	}
	jobs, err := db.Jobs().OperatedJobs(ctx, model.JobFilter{Status: []model.JobStatus{model.JobFailed}}, model.Page{Limit: 10})
	check(t, err)
	if len(jobs.Nodes) != 3 || jobs.Nodes[0].ID != again.ID {
		t.Errorf("failed jobs: got %d, want all three, the newest first", len(jobs.Nodes))
	}
	check(t, db.Accounts().DeleteUser(ctx, user.ID, func() error { return nil }))
}
