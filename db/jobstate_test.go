package db

import (
	"context"
	"fmt"
	"testing"
	"time"

	"portico/model"
)

// refused is the result of an act that changes nothing.
const refused = "refused"

// jobStates are the states in which an act can find a job, each with the acts that lead to it from
// a new job. Attempt 1 is the attempt of the worker whose acts the test calls.
var jobStates = map[string][]string{
	"queued":      {},
	"processing":  {"claim", "report"},
	"taken over":  {"claim", "report", "claim"}, // attempt 1 was presumed dead, attempt 2 runs
	"handed back": {"claim", "report", "requeue"},
	"completed":   {"claim", "report", "complete"},
	"failed":      {"claim", "report", "fail"},
	"purged":      {"claim", "report", "fail", "purge"},
}

// jobArrows has a row for each state and act. A result is the status, the attempt, the attempts
// that count and the progress, and after the end the state of the upload.
var jobArrows = []struct{ state, act, result string }{
	{"queued", "claim", "processing, attempt 1, counted 1, 0 %"},
	{"queued", "report", refused},
	{"queued", "requeue", refused},
	{"queued", "complete", refused},
	{"queued", "fail", refused},
	{"queued", "cancel", "failed, attempt 0, counted 0, 0 %, upload failed"},
	{"queued", "enqueue again", "queued, attempt 0, counted 0, 0 %"},
	{"queued", "purge", refused},

	{"processing", "claim", "processing, attempt 2, counted 2, 60 %"},
	{"processing", "report", "processing, attempt 1, counted 1, 60 %"},
	{"processing", "requeue", "queued, attempt 1, counted 0, 60 %"},
	{"processing", "complete", "completed, attempt 1, counted 1, 100 %, upload confirmed"},
	{"processing", "fail", "failed, attempt 1, counted 1, 60 %, upload failed"},
	{"processing", "cancel", "failed, attempt 1, counted 1, 60 %, upload failed"},
	{"processing", "enqueue again", "processing, attempt 1, counted 1, 60 %"},
	{"processing", "purge", refused},

	{"taken over", "claim", "processing, attempt 3, counted 3, 60 %"},
	{"taken over", "report", refused},
	{"taken over", "requeue", refused},
	{"taken over", "complete", refused},
	{"taken over", "fail", refused},
	{"taken over", "cancel", "failed, attempt 2, counted 2, 60 %, upload failed"},
	{"taken over", "enqueue again", "processing, attempt 2, counted 2, 60 %"},
	{"taken over", "purge", refused},

	{"handed back", "claim", "processing, attempt 2, counted 1, 60 %"},
	{"handed back", "report", refused},
	{"handed back", "requeue", refused},
	{"handed back", "complete", refused},
	{"handed back", "fail", refused},
	{"handed back", "cancel", "failed, attempt 1, counted 0, 60 %, upload failed"},
	{"handed back", "enqueue again", "queued, attempt 1, counted 0, 60 %"},
	{"handed back", "purge", refused},

	{"completed", "claim", refused},
	{"completed", "report", refused},
	{"completed", "requeue", refused},
	{"completed", "complete", refused},
	{"completed", "fail", refused},
	{"completed", "cancel", refused},
	{"completed", "enqueue again", refused},
	{"completed", "purge", "no job"},

	{"failed", "claim", refused},
	{"failed", "report", refused},
	{"failed", "requeue", refused},
	{"failed", "complete", refused},
	{"failed", "fail", refused},
	{"failed", "cancel", refused},
	{"failed", "enqueue again", refused},
	{"failed", "purge", "no job"},

	{"purged", "claim", refused},
	{"purged", "report", refused},
	{"purged", "requeue", refused},
	{"purged", "complete", refused},
	{"purged", "fail", refused},
	{"purged", "cancel", refused},
	{"purged", "enqueue again", refused},
	{"purged", "purge", refused},
}

// jobActs are what can happen to a job. Each reports whether it changed the job.
func jobActs() map[string]func(context.Context, *DB, *model.Job) (bool, error) {
	fail := func(ctx context.Context, db *DB, job *model.Job, attempt int) (bool, error) {
		var failed *model.Job
		err := db.InTx(ctx, func(tx *DB) (err error) {
			failed, err = tx.Jobs().FailJobAndUpload(ctx, job.ID, attempt, "Damaged")
			return err
		})
		return failed != nil, err
	}
	return map[string]func(context.Context, *DB, *model.Job) (bool, error){
		"claim": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			claimed, err := db.Jobs().ClaimJob(ctx, job.ID)
			return claimed != nil, err
		},
		"report": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			return db.Jobs().ReportJob(ctx, job.ID, 1, 60, model.JobStep{Name: model.JobExtractingZip})
		},
		"requeue": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			return db.Jobs().RequeueJob(ctx, job.ID, 1)
		},
		"complete": completeJob,
		"fail": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			return fail(ctx, db, job, 1)
		},
		"cancel": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			return fail(ctx, db, job, 0)
		},
		"enqueue again": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			if _, err := db.Queue().EnqueueLostJobs(ctx, 1000); err != nil {
				return false, err
			}
			return db.idb.NewSelect().Table("river_job").Where("args ->> 'job_id' = ?", job.ID).Exists(ctx)
		},
		"purge": func(ctx context.Context, db *DB, job *model.Job) (bool, error) {
			_, before := db.Jobs().Job(ctx, job.ID)
			_, err := db.Jobs().PurgeJobs(ctx, time.Now().Add(time.Minute), 1000)
			_, after := db.Jobs().Job(ctx, job.ID)
			return before == nil && after != nil, err
		},
	}
}

// completeJob stores the upload as a file and completes the job by attempt 1.
func completeJob(ctx context.Context, db *DB, job *model.Job) (completed bool, err error) {
	err = db.InTx(ctx, func(tx *DB) error {
		upload, err := tx.Uploads().Upload(ctx, job.UploadID)
		if err != nil {
			return err
		}
		completed, err = tx.Jobs().CompleteJob(ctx, job.ID, 1, upload.ResourceKey, "Completed")
		if err != nil || !completed {
			return err
		}
		_, err = tx.Files().StoreFile(ctx, model.NewFile(upload), model.UploadProcessing)
		return err
	})
	return completed, err
}

// The rows share a database and run in sequence, because two of the acts are about all jobs.
func TestJob_in_each_state_after_each_act(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, acts, rows := addUser(t, db), jobActs(), map[string]bool{}
	for _, arrow := range jobArrows {
		name := arrow.state + ": " + arrow.act
		rows[name] = true
		t.Run(name, func(t *testing.T) {
			job := addJob(t, db, user)
			for _, name := range jobStates[arrow.state] {
				changed, err := acts[name](t.Context(), db, job)
				check(t, err)
				if !changed {
					t.Fatalf("%s: got it refused on the way to %s", name, arrow.state)
				}
			}
			// EnqueueLostJobs leaves out a job that changed a moment ago.
			_, err := db.idb.ExecContext(t.Context(), "UPDATE jobs SET updated_at = now() - interval '2 minutes' WHERE id = ?", job.ID)
			check(t, err)
			before := findJob(t, db, job.ID)
			changed, err := acts[arrow.act](t.Context(), db, job)
			check(t, err)
			after := findJob(t, db, job.ID)
			switch got := describeJob(t, db, after); {
			case arrow.result == refused && (changed || after != before):
				t.Errorf("got changed %v and %+v, want it refused: %+v", changed, after, before)
			case arrow.result != refused && (!changed || got != arrow.result):
				t.Errorf("got changed %v and %q, want %q", changed, got, arrow.result)
			}
		})
	}
	for state := range jobStates {
		for act := range acts {
			if name := state + ": " + act; !rows[name] {
				t.Errorf("%s: got no row, want one", name)
			}
		}
	}
}

// findJob returns the job with this id; the zero value if there is none.
func findJob(t *testing.T, db *DB, id string) model.Job {
	t.Helper()
	job, err := db.Jobs().Job(t.Context(), id)
	if model.CodeOf(err) == model.CodeNotFound {
		return model.Job{}
	}
	check(t, err)
	return *job
}

// describeJob returns the state of a job as jobArrows writes it.
func describeJob(t *testing.T, db *DB, job model.Job) string {
	t.Helper()
	if job.ID == "" {
		return "no job"
	}
	upload, err := db.Uploads().Upload(t.Context(), job.UploadID)
	check(t, err)
	text := fmt.Sprintf("%s, attempt %d, counted %d, %v %%", job.Status, job.Attempt, job.CountedAttempts, job.Progress)
	ended := job.Status.IsTerminal()
	if ended != (upload.State != model.UploadProcessing) || ended == job.EndedAt.IsZero() {
		t.Errorf("%s: got an upload that is %s and an end at %v", text, upload.State, job.EndedAt)
	}
	if ended {
		text += ", upload " + string(upload.State)
	}
	return text
}
