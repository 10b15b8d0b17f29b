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
	job, err := db.ClaimJob(t.Context(), id)
	check(t, err)
	if job == nil {
		t.Fatal("ClaimJob: got nothing, want the job")
	}
	return job
}

func readJob(t testing.TB, db *DB, id string) *model.Job {
	t.Helper()
	job, err := db.Job(t.Context(), id)
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
		t.Errorf("claimed: got %+v, want attempt 1 of try 1", claimed)
	}
	if claimed.Message != model.JobStartedMessage {
		t.Errorf("message of a job that is processing: got %q, want %q", claimed.Message, model.JobStartedMessage)
	}
	current, err := db.ReportJob(ctx, job.ID, 1, 50, "Half")
	check(t, err)
	if !current {
		t.Error("ReportJob: got false, want true")
	}
	done, err := db.CompleteJob(ctx, job.ID, 1, "key", "Completed")
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

func TestReportJob_never_moves_the_progress_backwards(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	claim(t, db, job.ID)
	for _, test := range []struct{ report, want float64 }{
		{10, 10}, {5, 10}, {-1, 10}, {33.3, 33.3}, {99.95, 99.9}, {100, 99.9}, {1e9, 99.9}, {0, 99.9},
	} {
		current, err := db.ReportJob(t.Context(), job.ID, 1, test.report, "it's ? 100%")
		check(t, err)
		got := readJob(t, db, job.ID)
		if !current || got.Progress != test.want || got.Message != "it's ? 100%" {
			t.Errorf("after %v: got %v, %v %q, want %v", test.report, current, got.Progress, got.Message, test.want)
		}
	}
}

// A worker that was thought dead changes nothing: another worker has the job by then.
func TestAttempts_that_are_over_change_nothing(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	running := addJob(t, db, addUser(t, db))
	claim(t, db, running.ID)
	claim(t, db, running.ID) // rescued: attempt 2 runs
	ended := addJob(t, db, addUser(t, db))
	claim(t, db, ended.ID)
	_, err := db.CompleteJob(ctx, ended.ID, 1, "key", "Completed")
	check(t, err)
	for _, job := range []*model.Job{running, ended} {
		before := readJob(t, db, job.ID)
		reported, errReport := db.ReportJob(ctx, job.ID, 1, 99, "late")
		completed, errComplete := db.CompleteJob(ctx, job.ID, 1, "late", "late")
		failed, errFail := db.FailJob(ctx, job.ID, 1, "late")
		handed, errBack := db.RequeueJob(ctx, job.ID, 1)
		for _, err := range []error{errReport, errComplete, errFail, errBack} {
			check(t, err)
		}
		if reported || completed || failed != nil || handed {
			t.Errorf("late writes: got %v %v %v %v, want all refused", reported, completed, failed, handed)
		}
		if got := readJob(t, db, job.ID); *got != *before {
			t.Errorf("job: got %+v, want it unchanged: %+v", got, before)
		}
	}
	again, err := db.ClaimJob(ctx, ended.ID)
	check(t, err)
	none, err := db.ClaimJob(ctx, "unknown")
	check(t, err)
	if again != nil || none != nil {
		t.Errorf("claims of an ended and an unknown job: got %v and %v, want none", again, none)
	}
}

func TestClaimJob_keeps_progress_and_numbers_attempts(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	job := addJob(t, db, addUser(t, db))
	claim(t, db, job.ID)
	_, err := db.ReportJob(t.Context(), job.ID, 1, 60, "Most")
	check(t, err)
	again := claim(t, db, job.ID)
	if again.Attempt != 2 || again.CountedAttempts != 2 || again.Progress != 60 {
		t.Errorf("second attempt: got %+v, want attempt 2, try 2, progress 60", again)
	}
	handed, err := db.RequeueJob(t.Context(), job.ID, 2)
	check(t, err)
	back := readJob(t, db, job.ID)
	if !handed || back.Status != model.JobQueued || back.CountedAttempts != 1 || back.Progress != 60 || back.Message != model.JobQueuedMessage {
		t.Errorf("handed back: got %+v, want it queued, the try not counted", back)
	}
	if third := claim(t, db, job.ID); third.Attempt != 3 || third.CountedAttempts != 2 {
		t.Errorf("third attempt: got %+v, want attempt 3, try 2", third)
	}
}

func TestCompleteJob_and_a_cancellation_at_once(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for range 5 {
		job := addJob(t, db, addUser(t, db))
		claim(t, db, job.ID)
		var completed bool
		var failed *model.Job
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { completed, errs[0] = db.CompleteJob(t.Context(), job.ID, 1, "key", "Completed") })
		both.Go(func() { failed, errs[1] = db.FailJob(t.Context(), job.ID, 0, model.JobCanceled) })
		both.Wait()
		check(t, errs[0])
		check(t, errs[1])
		if completed == (failed != nil) {
			t.Errorf("completed and failed: got %v and %v, want exactly one", completed, failed != nil)
		}
	}
}

func TestFailJobAndUpload_fails_one_attempt(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	job := addJob(t, db, addUser(t, db))
	upload, err := db.Upload(ctx, job.UploadID)
	check(t, err)
	var failed *model.Job
	giveUp := func(attempt int) {
		t.Helper()
		check(t, db.InTx(ctx, func(tx *DB) error {
			failed, err = tx.FailJobAndUpload(ctx, job.ID, attempt, "Entry \"a\": is damaged")
			return err
		}))
	}
	giveUp(7)
	if failed != nil {
		t.Errorf("FailJobAndUpload of another attempt: got %+v, want nothing", failed)
	}
	giveUp(0)
	if failed == nil || failed.Status != model.JobFailed || failed.Error != "Entry \"a\": is damaged" || failed.EndedAt.IsZero() || failed.Progress == 100 {
		t.Errorf("failed job: got %+v, want it failed with its reason", failed)
	}
	upload, err = db.Upload(ctx, upload.ID)
	check(t, err)
	if got, want := upload.State, model.UploadFailed; got != want {
		t.Errorf("state of the upload: got %s, want %s", got, want)
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
	failed = nil
	giveUp(0)
	if failed != nil {
		t.Errorf("FailJobAndUpload again: got %+v, want nothing", failed)
	}
}

func TestPurgeJobs_keeps_jobs_that_have_not_ended(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	running := addJob(t, db, user)
	for range 3 {
		job := addJob(t, db, user)
		_, err := db.FailJob(t.Context(), job.ID, 0, "x")
		check(t, err)
	}
	for _, test := range []struct {
		before time.Duration
		want   int
	}{{-time.Hour, 0}, {time.Minute, 2}, {time.Minute, 1}, {time.Minute, 0}} {
		got, err := db.PurgeJobs(t.Context(), time.Now().Add(test.before), 2)
		check(t, err)
		if got != test.want {
			t.Errorf("purged: got %d, want %d", got, test.want)
		}
	}
	jobs, err := db.JobsOf(t.Context(), user.ID, 0)
	check(t, err)
	if len(jobs) != 1 || jobs[0].ID != running.ID {
		t.Errorf("jobs: got %v, want only the one that has not ended", jobs)
	}
}

func TestJobsOf_newest_first(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	none, err := db.JobsOf(t.Context(), user.ID, 0)
	check(t, err)
	if none == nil || len(none) != 0 {
		t.Errorf("jobs of a new user: got %v, want an empty list", none)
	}
	var want []string
	for range 4 {
		want = append([]string{addJob(t, db, user).ID}, want...)
	}
	addJob(t, db, addUser(t, db))
	jobs, err := db.JobsOf(t.Context(), user.ID, 0)
	check(t, err)
	got := []string{}
	for _, job := range jobs {
		got = append(got, job.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("jobs: got %v, want %v", got, want)
	}
}
