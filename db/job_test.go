package db

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/model"
)

// claim starts an attempt, which must succeed.
func claim(t testing.TB, db *DB, id string) *model.Job {
	t.Helper()
	job, err := db.Jobs().ClaimJob(t.Context(), id)
	check(t, err)
	if job == nil {
		t.Fatal("ClaimJob: got nothing, want the job")
	}
	return job
}

func readJob(t testing.TB, db *DB, id string) *model.Job {
	t.Helper()
	job, err := db.Jobs().Job(t.Context(), id)
	check(t, err)
	return job
}

func TestJob_from_queued_to_completed(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	job := addJob(t, db, addUser(t, db))
	if job.Status != model.JobQueued || job.Progress != 0 || job.Message != model.JobQueuedMessage {
		t.Errorf("new job: got %+v, want it queued at 0", job)
	}
	claimed := claim(t, db, job.ID)
	if claimed.Status != model.JobProcessing || claimed.Attempt != 1 || claimed.CountedAttempts != 1 {
		t.Errorf("claimed: got %+v, want attempt 1, which counts", claimed)
	}
	if claimed.Message != model.JobStartedMessage {
		t.Errorf("message of a job that is processing: got %q, want %q", claimed.Message, model.JobStartedMessage)
	}
	current, err := db.Jobs().ReportJob(ctx, job.ID, 1, 50, model.JobStep{Name: model.JobStoring})
	check(t, err)
	if !current {
		t.Error("ReportJob: got false, want true")
	}
	done, err := db.Jobs().CompleteJob(ctx, job.ID, 1, "key", "Completed")
	check(t, err)
	got := readJob(t, db, job.ID)
	if !done || got.Status != model.JobCompleted || got.Progress != 100 || got.ResultKey != "key" ||
		got.Message != "Completed" || got.EndedAt.IsZero() || got.EndedAt != got.UpdatedAt || got.Error != "" {
		t.Errorf("completed: got %v and %+v, want all of it", done, got)
	}
	if !got.UpdatedAt.After(job.UpdatedAt.Time) || got.CreatedAt != job.CreatedAt {
		t.Errorf("times: got %v and %v, want %v and later", got.CreatedAt, got.UpdatedAt, job.CreatedAt)
	}
}

func TestRequeueJob_says_that_the_job_waits(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	claim(t, db, job.ID)
	_, err := db.Jobs().RequeueJob(t.Context(), job.ID, 1)
	check(t, err)
	if got, want := readJob(t, db, job.ID).Message, model.JobQueuedMessage; got != want {
		t.Errorf("message: got %q, want %q", got, want)
	}
}

func TestReportJob_never_moves_the_progress_backwards(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	claim(t, db, job.ID)
	for _, test := range []struct{ report, want float64 }{
		{10, 10}, {5, 10}, {-1, 10}, {33.3, 33.3}, {99.95, 99.9}, {100, 99.9}, {1e9, 99.9}, {0, 99.9},
	} {
		current, err := db.Jobs().ReportJob(t.Context(), job.ID, 1, test.report, model.JobStep{Name: model.JobConverting, Detail: "it's ? 100%"})
		check(t, err)
		got := readJob(t, db, job.ID)
		if !current || got.Progress != test.want || got.Message != "Converting: it's ? 100%" {
			t.Errorf("after %v: got %v, %v %q, want %v", test.report, current, got.Progress, got.Message, test.want)
		}
	}
}

// A worker of an older version stores a message without a step.
func TestReportJob_stores_the_step_of_its_attempt(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	reported := model.JobStep{Name: model.JobExtractingZip, Done: 3, Total: 7}
	report := func(attempt int) {
		t.Helper()
		claim(t, db, job.ID)
		_, err := db.Jobs().ReportJob(t.Context(), job.ID, attempt, 50, reported)
		check(t, err)
		got := readJob(t, db, job.ID)
		if step := got.Step(); step == nil || *step != reported || got.Message != "Extracting zip: 3 of 7 files" {
			t.Errorf("attempt %d: got %+v and %q, want %+v and its message", attempt, step, got.Message, reported)
		}
	}
	report(1)
	claim(t, db, job.ID)
	_, err := db.idb.ExecContext(t.Context(), "UPDATE jobs SET message = 'Checking zip: 1 of 7 files' WHERE id = ? AND attempt = 2", job.ID)
	check(t, err)
	if got := readJob(t, db, job.ID).Step(); got != nil {
		t.Errorf("after a message of an older version: got %+v, want no step", got)
	}
	report(3)
}

func TestCompleteJob_and_a_concurrent_cancellation(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for range 5 {
		job := addJob(t, db, addUser(t, db))
		claim(t, db, job.ID)
		var completed bool
		var failed *model.Job
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { completed, errs[0] = db.Jobs().CompleteJob(t.Context(), job.ID, 1, "key", "Completed") })
		both.Go(func() { failed, errs[1] = db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled) })
		both.Wait()
		check(t, errs[0])
		check(t, errs[1])
		if completed == (failed != nil) {
			t.Errorf("completed and failed: got %v and %v, want exactly one", completed, failed != nil)
		}
	}
}

func TestFailJobAndUpload_schedules_the_removal_of_the_objects(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	job := addJob(t, db, addUser(t, db))
	upload, err := db.Uploads().Upload(ctx, job.UploadID)
	check(t, err)
	var failed *model.Job
	check(t, db.InTx(ctx, func(tx *DB) error {
		failed, err = tx.Jobs().FailJobAndUpload(ctx, job.ID, 0, "Entry \"a\": is damaged")
		return err
	}))
	if got, want := failed.Error, "Entry \"a\": is damaged"; got != want {
		t.Errorf("reason: got %q, want %q", got, want)
	}
	var rows []removalRow
	check(t, db.idb.NewSelect().Model(&rows).Order("key").Scan(ctx))
	var keys []string
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	want := []string{upload.StorageRoot(), upload.StorageKey(), upload.UserID + "/derived/" + upload.ID + "/"}
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Fatalf("removals: got %v, want %v", keys, want)
	}
	for _, row := range rows {
		due := time.Now().Add(time.Minute)
		if !strings.HasSuffix(row.Key, "/") {
			due = upload.GraceEnds()
		}
		if difference := row.DueAt.Sub(due).Abs(); difference > 30*time.Second {
			t.Errorf("%s: got due at %v, want about %v", row.Key, row.DueAt, due)
		}
	}
}

func TestPurgeJobs_deletes_a_batch_of_old_jobs(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	for range 3 {
		job := addJob(t, db, user)
		_, err := db.Jobs().FailJob(t.Context(), job.ID, 0, "x")
		check(t, err)
	}
	for _, test := range []struct {
		before time.Duration
		want   int
	}{{-time.Hour, 0}, {time.Minute, 2}, {time.Minute, 1}, {time.Minute, 0}} {
		got, err := db.Jobs().PurgeJobs(t.Context(), time.Now().Add(test.before), 2)
		check(t, err)
		if got != test.want {
			t.Errorf("purged: got %d, want %d", got, test.want)
		}
	}
}

func TestRecentJobsOf_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	none, err := db.Jobs().RecentJobsOf(t.Context(), user.ID, 0)
	check(t, err)
	if none == nil || len(none) != 0 {
		t.Errorf("jobs of a new user: got %v, want an empty list", none)
	}
	var want []string
	for range 4 {
		want = append([]string{addJob(t, db, user).ID}, want...)
	}
	addJob(t, db, addUser(t, db))
	jobs, err := db.Jobs().RecentJobsOf(t.Context(), user.ID, 0)
	check(t, err)
	got := []string{}
	for _, job := range jobs {
		got = append(got, job.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("jobs: got %v, want %v", got, want)
	}
}
