package db

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"portico/model"
)

func TestDueRemovals_returns_what_is_due(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	due, later := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	check(t, db.Files().ScheduleRemovals(ctx, due, "old", "folder/"))
	check(t, db.Files().ScheduleRemovals(ctx, due.Add(-time.Hour), "oldest", "it's ? %"))
	check(t, db.Files().ScheduleRemovals(ctx, later, "later"))
	check(t, db.Files().ScheduleRemovals(ctx, later)) // nothing
	keys := func(limit int) []string {
		t.Helper()
		keys, err := db.Files().DueRemovals(ctx, limit)
		check(t, err)
		return keys
	}
	if got, want := len(keys(10)), 4; got != want {
		t.Errorf("due: got %d, want %d", got, want)
	}
	if got := keys(2); len(got) != 2 || slices.Contains(got, "old") || slices.Contains(got, "folder/") {
		t.Errorf("the two oldest: got %v, want the oldest", got)
	}

	// What is due later again, because bytes may still arrive, stays written down.
	check(t, db.Files().ScheduleRemovals(ctx, later, "old"))
	check(t, db.Files().ScheduleRemovals(ctx, due, "later"))
	for _, key := range []string{"old", "later", "folder/", "unknown"} {
		check(t, db.Files().FinishRemoval(ctx, key))
	}
	if got := keys(10); slices.Contains(got, "folder/") || len(got) != 2 {
		t.Errorf("due after the removal: got %v, want the other two", got)
	}
	if got, want := number(t, db, "SELECT count(*) FROM removals"), 4; got != want {
		t.Errorf("written down: got %d, want %d", got, want)
	}
}

func TestCancelRemoval_leaves_what_the_purge_may_be_deleting(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, test := range []struct {
		key  string
		due  time.Duration
		want bool
	}{{"due", -time.Hour, false}, {"due-soon", 30 * time.Second, false}, {"later/", time.Hour, true}, {"later/", 0, false}} {
		if test.due != 0 {
			check(t, db.Files().ScheduleRemovals(t.Context(), time.Now().Add(test.due), test.key))
		}
		got, err := db.Files().CancelRemoval(t.Context(), test.key)
		check(t, err)
		if got != test.want {
			t.Errorf("%s: got %v, want %v", test.key, got, test.want)
		}
	}
	if got, want := number(t, db, "SELECT count(*) FROM removals"), 2; got != want {
		t.Errorf("written down: got %d, want %d", got, want)
	}
}

func TestScheduleRemovals_is_part_of_its_transaction(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	_ = db.InTx(t.Context(), func(tx *DB) error {
		check(t, tx.Files().ScheduleRemovals(t.Context(), time.Now(), "a"))
		return errors.New("broken")
	})
	if got, want := number(t, db, "SELECT count(*) FROM removals"), 0; got != want {
		t.Errorf("written down: got %d, want %d", got, want)
	}
}

// newHolder adds an account.
func newHolder(t *testing.T, db *DB) *model.User {
	t.Helper()
	user, err := db.Accounts().CreateUser(t.Context(), model.CreateUser{Email: "holder@example.com", Name: "h", Plan: model.PlanFree, Quota: 100})
	check(t, err)
	return user
}

func exec(t *testing.T, db *DB, query string) {
	t.Helper()
	_, err := db.idb.ExecContext(t.Context(), query)
	check(t, err)
}

// heldUpload stores an upload of 10 bytes in a state, which expires after so long.
func heldUpload(t *testing.T, db *DB, user *model.User, state model.UploadState, expires time.Duration) *model.Upload {
	t.Helper()
	upload := model.NewUpload(user.ID, model.CreateUpload{FileName: "a.ply", FileSize: 10, ContentType: "a/b"})
	upload.State, upload.ExpiresAt = state, model.Time{Time: time.Now().Add(expires)}
	check(t, db.Uploads().AddUpload(t.Context(), upload))
	return upload
}

// taken checks what an account has used and reserved.
func taken(t *testing.T, db *DB, user *model.User, when string, used, reserved int64) {
	t.Helper()
	got, err := db.Accounts().Storage(t.Context(), user.ID)
	check(t, err)
	if got.Used != used || got.Reserved != reserved {
		t.Errorf("%s: got %d used and %d reserved, want %d and %d", when, got.Used, got.Reserved, used, reserved)
	}
}

func TestRemoval_counts_until_it_is_gone(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := newHolder(t, db)
	sweeps := func(want int) {
		t.Helper()
		keys, err := db.Files().DueSweeps(ctx, 10)
		check(t, err)
		if len(keys) != want {
			t.Errorf("to sweep: got %q, want %d", keys, want)
		}
	}
	t.Run("in a store that asks who waits", func(t *testing.T) {
		upload := heldUpload(t, db, user, model.UploadDiscarded, 0)
		check(t, db.Files().AddRemoval(ctx, RemovalOf(upload)))
		taken(t, db, user, "discarded", 10, 0)
		sweeps(1)
		check(t, db.Files().FinishSweep(ctx, upload.StorageKey(), false))
		taken(t, db, user, "deleted", 0, 0)
		sweeps(0)
	})
	t.Run("in a store where it may come back", func(t *testing.T) {
		upload := heldUpload(t, db, user, model.UploadDiscarded, time.Hour)
		check(t, db.Files().AddRemoval(ctx, RemovalOf(upload)))
		sweeps(0)
		check(t, db.Files().FinishSweep(ctx, upload.StorageKey(), true))
		taken(t, db, user, "deleted while its address works", 10, 0)
		exec(t, db, "UPDATE removals SET sweep_at = now() WHERE sweep_at IS NOT NULL")
		sweeps(1)
		check(t, db.Files().FinishSweep(ctx, upload.StorageKey(), true))
		taken(t, db, user, "deleted when its address had expired", 0, 0)
		exec(t, db, "UPDATE removals SET sweep_at = now() WHERE sweep_at IS NOT NULL")
		sweeps(1) // a request that began before may end
	})
	t.Run("and is struck out with what it held", func(t *testing.T) {
		upload := heldUpload(t, db, user, model.UploadDiscarded, time.Hour)
		check(t, db.Files().AddRemoval(ctx, RemovalOf(upload)))
		exec(t, db, "UPDATE removals SET due_at = now()")
		check(t, db.Files().FinishRemoval(ctx, upload.StorageKey()))
		taken(t, db, user, "removed", 0, 0)
	})
}

// The result of a job counts beside the upload that it is to replace once its attempt can no longer
// complete the job.
func TestRemoval_of_a_result_counts_after_its_attempt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		act  func(ctx context.Context, db *DB, job *model.Job) error
		used int64
	}{
		{"while the attempt runs", func(context.Context, *DB, *model.Job) error { return nil }, 10},
		{"after the start of the next attempt", func(ctx context.Context, db *DB, job *model.Job) error {
			_, err := db.Jobs().ClaimJob(ctx, job.ID)
			return err
		}, 30},
		{"after the job was handed back", func(ctx context.Context, db *DB, job *model.Job) error {
			_, err := db.Jobs().RequeueJob(ctx, job.ID, 1)
			return err
		}, 30},
		{"after the worker was found dead", func(ctx context.Context, db *DB, _ *model.Job) error {
			_, err := db.Queue().RescueJobs(ctx, time.Minute)
			return err
		}, 30},
		{"after the job was canceled", func(ctx context.Context, db *DB, job *model.Job) error {
			return db.InTx(ctx, func(tx *DB) error {
				_, err := tx.Jobs().FailJobAndUpload(ctx, job.ID, 0, "Canceled")
				return err
			})
		}, 30},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := testDB(t)
			user := newHolder(t, db)
			job := resultOfAttempt(t, db, heldUpload(t, db, user, model.UploadProcessing, time.Hour))
			check(t, test.act(t.Context(), db, job))
			taken(t, db, user, test.name, test.used, 0)
		})
	}
}

// resultOfAttempt adds a job for the upload, whose first attempt runs and stores a result of 20
// bytes. The worker has sent no heartbeat for an hour.
func resultOfAttempt(t *testing.T, db *DB, upload *model.Upload) *model.Job {
	t.Helper()
	ctx, job, due := t.Context(), model.NewJob(upload), time.Now().Add(time.Hour)
	check(t, db.Jobs().AddJob(ctx, job))
	check(t, db.Queue().Enqueue(ctx, job.ID, "request"))
	exec(t, db, "UPDATE river_job SET state = 'running', attempted_at = now() - interval '1 hour'")
	_, err := db.Jobs().ClaimJob(ctx, job.ID)
	check(t, err)
	check(t, db.Files().AddRemoval(ctx, Removal{
		Key: upload.StorageRoot() + "result/", Due: due, UserID: upload.UserID, Bytes: 20, Sweep: due, JobID: job.ID, Attempt: 1,
	}))
	return job
}

func TestReservation_lasts_as_long_as_its_bytes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := newHolder(t, db)
	ask := func(name string, call func(context.Context, string) (bool, error), upload *model.Upload, want bool) {
		t.Helper()
		got, err := call(ctx, upload.StorageKey())
		check(t, err)
		if got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	upload := heldUpload(t, db, user, model.UploadPending, -time.Minute)
	taken(t, db, user, "expired", 0, 0)
	ask("receiving", db.Uploads().ExtendReservation, upload, true)
	taken(t, db, user, "while its bytes come", 0, 10)
	exec(t, db, "UPDATE uploads SET held_until = now()")
	lapsed, err := db.Uploads().ExpiredUploads(ctx, 10)
	check(t, err)
	if len(lapsed) != 1 || lapsed[0].StorageKey() != upload.StorageKey() || lapsed[0].Size != 10 {
		t.Errorf("to look for: got %v, want the upload", lapsed)
	}
	if lapsed, err = db.Uploads().ExpiredUploads(ctx, 10); err != nil || len(lapsed) != 0 {
		t.Errorf("to look for again at once: got %v, %v, want none", lapsed, err)
	}
	ask("received", db.Uploads().KeepReceived, upload, true)
	taken(t, db, user, "when its bytes have come", 0, 10)
	if read, err := db.Uploads().UploadOf(ctx, user.ID, upload.ResourceKey); err != nil || read.Expired {
		t.Errorf("upload: got %+v, %v, want one that still counts", read, err)
	}
	n, err := db.Uploads().DiscardExpired(ctx, time.Now(), 10)
	check(t, err)
	taken(t, db, user, "discarded", 10, 0)
	if n != 1 {
		t.Errorf("discarded: got %d, want 1", n)
	}
	for state, wanted := range map[model.UploadState]bool{
		model.UploadProcessing: true, model.UploadConfirmed: false, model.UploadFailed: false, model.UploadDiscarded: false,
	} {
		other := heldUpload(t, db, user, state, time.Hour)
		ask("receiving what is "+string(state), db.Uploads().ExtendReservation, other, false)
		ask("received what is "+string(state), db.Uploads().KeepReceived, other, wanted)
	}
}
