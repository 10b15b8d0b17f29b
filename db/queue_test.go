package db

import (
	"errors"
	"testing"
	"time"

	"portico/model"
)

// addRunning adds a job of River that a worker took some time ago.
func addRunning(t testing.TB, db *DB, kind, state string, ago time.Duration) int64 {
	t.Helper()
	var id int64
	check(t, db.idb.NewRaw(`
		INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, attempted_at, scheduled_at)
		VALUES ('{}', ?, 10, 1, 'default', ?, now() - ?::interval, now()) RETURNING id`,
		kind, state, ago.String()).Scan(t.Context(), &id))
	return id
}

func TestEnqueue_shows_the_job_after_the_commit_only(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	count := func() int {
		t.Helper()
		return number(t, db, `SELECT count(*) FROM river_job WHERE kind = 'job' AND state = 'available'
			AND queue = 'default' AND args = '{"job_id":"j","request_id":"r"}'`)
	}
	err := db.InTx(ctx, func(tx *DB) error {
		check(t, tx.Queue().Enqueue(ctx, "j", "r"))
		if got, want := count(), 0; got != want {
			t.Errorf("jobs before the commit: got %d, want %d", got, want)
		}
		return errors.New("broken")
	})
	if err == nil || count() != 0 {
		t.Errorf("rolled back: got %v and %d jobs, want an error and none", err, count())
	}
	check(t, db.InTx(ctx, func(tx *DB) error { return tx.Queue().Enqueue(ctx, "j", "r") }))
	if got, want := count(), 1; got != want {
		t.Errorf("jobs after the commit: got %d, want %d", got, want)
	}
}

func TestEnqueue_refuses_a_request_id_that_cannot_be_stored(t *testing.T) {
	t.Parallel()
	if err := testDB(t).Queue().Enqueue(t.Context(), "j", "a\x00b"); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("id with a NUL: got %v, want CodeInvalid", err)
	}
}

func TestRescue_replaces_the_work_of_dead_processes(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	dead := addRunning(t, db, JobKind, "running", time.Hour)
	alive := addRunning(t, db, JobKind, "running", time.Hour)
	fresh := addRunning(t, db, JobKind, "running", time.Second)
	purge := addRunning(t, db, "purge", "running", time.Hour)
	retried := addRunning(t, db, JobKind, "retryable", time.Hour)
	check(t, db.Queue().ExtendLease(ctx, []int64{alive, retried}))
	for _, want := range []int{1, 0} {
		got, err := db.Queue().RescueJobs(ctx, 15*time.Second)
		check(t, err)
		if got != want {
			t.Errorf("rescued: got %d, want %d", got, want)
		}
	}
	for id, want := range map[int64]string{
		dead: "discarded", alive: "running", fresh: "running", purge: "running", retried: "retryable",
	} {
		var got string
		check(t, db.idb.NewRaw("SELECT state FROM river_job WHERE id = ?", id).Scan(ctx, &got))
		if got != want {
			t.Errorf("state of job %d: got %s, want %s", id, got, want)
		}
	}
	if got, want := number(t, db, `SELECT count(*) FROM river_job AS n JOIN river_job AS d ON n.args = d.args
		WHERE d.id = ? AND n.state = 'available' AND n.kind = d.kind`, dead), 1; got != want {
		t.Errorf("new rows of the lost job: got %d, want %d", got, want)
	}
	if got, want := number(t, db, "SELECT count(*) FROM river_job WHERE id = ? AND attempted_at < now() - interval '1 minute'", retried), 1; got != want {
		t.Errorf("lease of a job that does not run: got it extended, want it left alone")
	}
	check(t, db.Queue().ExtendLease(ctx, nil))
}

func TestEnqueuePreparation_adds_one_that_waits(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	waiting := func() int {
		t.Helper()
		return number(t, db, `SELECT count(*) FROM river_job WHERE state = 'available' AND kind = queue`)
	}
	_ = db.InTx(ctx, func(tx *DB) error { // rolled back on purpose
		check(t, tx.Queue().EnqueuePreparation(ctx, "k"))
		return errors.New("broken")
	})
	if got, want := waiting(), 0; got != want {
		t.Errorf("after a rollback: got %d, want %d", got, want)
	}
	for range 2 {
		check(t, db.Queue().EnqueuePreparation(ctx, "k"))
		check(t, db.Queue().EnqueuePreparation(ctx, `odd "key"`))
		check(t, db.Queue().EnqueueView(ctx, "k"))
	}
	if got, want := waiting(), 3; got != want {
		t.Errorf("waiting: got %d, want %d: each once", got, want)
	}
	_, err := db.root.ExecContext(ctx, "UPDATE river_job SET state = 'completed', finalized_at = now()")
	check(t, err)
	check(t, db.Queue().EnqueuePreparation(ctx, "k"))
	if got, want := waiting(), 1; got != want {
		t.Errorf("after the first has ended: got %d, want %d", got, want)
	}
}

func TestRescueBackgroundJobs_counts_on(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	dead := addRunning(t, db, ViewKind, "running", time.Hour)
	addRunning(t, db, PreparationKind, "running", time.Second) // alive
	addRunning(t, db, JobKind, "running", time.Hour)           // another's business
	_, err := db.root.ExecContext(ctx, "UPDATE river_job SET attempt = 3, unique_key = 'u', unique_states = "+uniqueStates+" WHERE id = ?", dead)
	check(t, err)
	for _, want := range []int{1, 0} {
		got, err := db.Queue().RescueBackgroundJobs(ctx, 15*time.Second)
		check(t, err)
		if got != want {
			t.Errorf("rescued: got %d, want %d", got, want)
		}
	}
	if got, want := number(t, db, `SELECT count(*) FROM river_job
		WHERE kind = 'view' AND state = 'available' AND attempt = 3 AND unique_key = 'u'`), 1; got != want {
		t.Errorf("new rows with what the lost one had: got %d, want %d", got, want)
	}
}

func TestQueueLengths_counts_what_waits_and_runs(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, state := range []string{"running", "running", "available", "completed"} {
		_, err := db.root.ExecContext(t.Context(), `
			INSERT INTO river_job (args, kind, max_attempts, priority, queue, state, scheduled_at, finalized_at)
			VALUES ('{}', 'job', 10, 1, 'default', ?, now() - interval '1 hour', CASE WHEN ? = 'completed' THEN now() END)`, state, state)
		check(t, err)
	}
	got, err := db.Queue().QueueLengths(t.Context())
	check(t, err)
	if len(got) != 2 || got[0].State != "available" || got[0].Jobs != 1 || got[1].State != "running" || got[1].Jobs != 2 {
		t.Fatalf("got %+v, want one available and two running", got)
	}
	if oldest := got[0].Oldest; oldest < time.Hour || oldest > time.Hour+time.Minute {
		t.Errorf("oldest: got %v, want an hour", oldest)
	}
	if stats := db.PoolStats(); stats.OpenConnections < 1 {
		t.Errorf("connections: got %d, want at least one", stats.OpenConnections)
	}
}

// Work that waits after an error starts now, and work of other kinds waits on.
func TestRetryQueue_starts_the_waiting_work_of_one_kind(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user, ctx := addUser(t, db), t.Context()
	for range 2 {
		check(t, db.Queue().Enqueue(ctx, addJob(t, db, user).ID, "r"))
	}
	check(t, db.Queue().EnqueueView(ctx, "a"))
	_, err := db.idb.ExecContext(ctx, "UPDATE river_job SET state = 'retryable', scheduled_at = now() + interval '1 hour', attempt = 1")
	check(t, err)
	if n, err := db.Queue().RetryQueue(ctx, JobKind); err != nil || n != 2 {
		t.Errorf("started: got %d, %v, want 2", n, err)
	}
	if n, err := db.Queue().RetryQueue(ctx, JobKind); err != nil || n != 0 {
		t.Errorf("started again: got %d, %v, want none", n, err)
	}
	if got := number(t, db, "SELECT count(*) FROM river_job WHERE state = 'available' AND scheduled_at <= now()"); got != 2 {
		t.Errorf("ready: got %d, want 2", got)
	}
}

// A job that has lost its row of River gets a new one. The other unfinished jobs keep theirs.
func TestEnqueueLostJobs_gives_a_lost_job_a_new_row(t *testing.T) {
	t.Parallel()
	q := queue{t, testDB(t)}
	ann := addUser(t, q.db)
	lost, small, fresh, ended := q.add(ann, large, 0), q.add(ann, 1, 0), q.add(ann, large, 0), q.add(ann, large, 0)
	q.add(ann, large, 2*time.Hour)
	q.fetch(JobQueue) // it runs
	snoozed := q.add(ann, large, time.Hour)
	q.exec("UPDATE river_job SET state = 'scheduled' WHERE args ->> 'job_id' = ?", snoozed)
	q.exec("UPDATE jobs SET status = 'processing', updated_at = now() - interval '2 minutes' WHERE id <> ?", fresh)
	q.exec("UPDATE jobs SET status = 'failed', ended_at = now() WHERE id = ?", ended)
	for _, id := range []string{lost, small, fresh, ended} {
		q.exec("UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE args ->> 'job_id' = ?", id)
	}
	for _, want := range []int{2, 0} {
		if got, err := q.db.Queue().EnqueueLostJobs(t.Context(), 10); got != want || err != nil {
			t.Errorf("enqueue: got %d, %v, want %d", got, err, want)
		}
	}
	q.exec("UPDATE river_job SET state = 'available', finalized_at = NULL WHERE args ->> 'job_id' = ?", fresh)
	q.checkRiverRows()
	if got := number(t, q.db, "SELECT count(*) FROM river_job WHERE state = 'available' AND queue = ?", SmallJobQueue); got != 1 {
		t.Errorf("small jobs that wait: got %d, want 1", got)
	}
}
