package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

func started(job *model.Job) bool { return job.Status == model.JobProcessing && job.Progress > 0 }

func TestLease_of_a_worker_that_was_killed_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	child := w.spawn(t, settings{})
	before := w.await(t, job.ID, "started", started)
	if got := incoming(t, w.dir); len(got) == 0 {
		t.Error("incoming files: got none, want the killed worker's")
	}
	child.kill()
	killed := time.Now()

	// The next process opens the store as the first process left it.
	store := openDisk(t, w.dir, w.db)
	w.start(t, func(o *Options) { o.Store = store })
	file := w.awaitCompleted(t, job.ID)
	t.Logf("completed %v after kill -9, with a lease of %v", time.Since(killed), w.options().Lease)
	w.checkKept(t, file, captured(capture))
	if got := w.job(t, job.ID); got.Attempt != 2 || got.CountedAttempts != 2 || got.Progress < before.Progress {
		t.Errorf("job: got %+v, want the second attempt", got)
	}
}

// A job that crashes every process is given up, and leaves no objects.
func TestLease_of_a_job_that_crashes_workers_is_not_given_forever(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	short := settings{Dies: true, Lease: 300 * time.Millisecond, Beat: 50 * time.Millisecond}
	var last *process
	for deaths := range 4 {
		last = w.spawn(t, short)
		last.wait() // the process kills itself
		if got := w.job(t, job.ID); got.CountedAttempts != deaths+1 || got.Status != model.JobProcessing {
			t.Fatalf("after %d deaths: got %+v, want as many attempts", deaths+1, got)
		}
	}
	w.spawn(t, short)
	got := w.awaitEnd(t, job.ID)
	if got.Status != model.JobFailed || !strings.HasPrefix(got.Error, "Given up after 4 attempts") {
		t.Errorf("job: got %s with %q, want failed with Given up after 4 attempts", got.Status, got.Error)
	}
	w.awaitObjects(t, nil)
	w.checkNothingKept(t, job)
}

// A process was paused for longer than its lease, and another process has completed its job. The
// first process changes nothing.
func TestLease_of_a_paused_worker_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	child := w.spawn(t, settings{})
	w.await(t, job.ID, "started", started)
	child.signal(syscall.SIGSTOP)

	w.start(t)
	file := w.awaitCompleted(t, job.ID)
	done := w.job(t, job.ID)
	child.signal(syscall.SIGCONT)
	child.awaitLine("job lost to another attempt")
	if diff := cmp.Diff(done, w.job(t, job.ID), sameJob); diff != "" {
		t.Errorf("job after the pause (-want +got):\n%s", diff)
	}
	w.checkKept(t, file, captured(capture))
}

// A job that is canceled while its worker is paused leaves no objects either.
func TestLease_of_a_paused_worker_whose_job_is_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	child := w.spawn(t, settings{})
	w.await(t, job.ID, "started", started)
	child.signal(syscall.SIGSTOP)
	w.cancel(t, job)
	child.signal(syscall.SIGCONT)
	child.awaitLine("job canceled")
	w.awaitObjects(t, nil)
	w.checkNothingKept(t, job)
}

// A worker that sends heartbeats keeps a job for longer than one lease.
func TestLease_is_kept_while_the_worker_lives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 2)
	first := w.start(t, func(o *Options) { o.Store = store })
	<-store.stalled
	second := w.start(t)
	for range 5 * int(first.Lease/first.Heartbeat) / 2 { // two and a half leases
		<-time.After(first.Heartbeat)
		second.heartbeat(t.Context())
	}
	close(store.released)
	w.awaitCompleted(t, job.ID)
	if got := w.job(t, job.ID); got.Attempt != 1 {
		t.Errorf("attempts: got %d, want 1", got.Attempt)
	}
}

// After an outage of the database all leases have run out. The first worker that is back leaves the
// jobs of the others alone.
func TestLease_outlasts_an_outage_of_the_database(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 2)
	slow := func(o *Options) { o.Lease, o.Heartbeat = 15*time.Second, time.Hour } // the test sends the heartbeats
	first := w.start(t, slow, func(o *Options) { o.Store = store })
	<-store.stalled
	if _, err := first.pool.Exec(t.Context(), "UPDATE river_job SET attempted_at = now() - interval '1 minute'"); err != nil {
		t.Fatalf("let the leases run out: %v", err)
	}
	o := w.options()
	slow(&o)
	newWorker(o).heartbeat(t.Context())
	first.heartbeat(t.Context())
	close(store.released)
	w.awaitCompleted(t, job.ID)
	if got := w.job(t, job.ID); got.Attempt != 1 || got.CountedAttempts != 1 {
		t.Errorf("job: got %d counted of %d attempts, want the first", got.CountedAttempts, got.Attempt)
	}
}

func TestHeartbeat_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, outage := range []struct{ table, failed, recovered string }{
		{"river_job", "extend the lease of jobs", "the lease of jobs is extended again"},
		{"removals", "look for jobs of dead workers", "the jobs of dead workers are found again"},
	} {
		var log bytes.Buffer
		worker := w.idle(t, func(o *Options) {
			o.Lease, o.Heartbeat, o.Logger = time.Hour, time.Minute, slog.New(slog.NewTextHandler(&log, nil))
		})
		for _, minutes := range []int{-60, -40, -20} { // a worker looks for dead workers after these heartbeats
			worker.heartbeatsCoverLease(time.Now().Add(time.Duration(minutes) * time.Minute))
		}
		for _, rename := range []string{outage.table + " RENAME TO away", "away RENAME TO " + outage.table} {
			w.exec(t, "ALTER TABLE "+rename)
			for range 2 {
				worker.heartbeat(t.Context())
			}
		}
		checkOutageLog(t, &log, outage.failed, outage.recovered)
	}
}

func TestHeartbeatsCoverLease_after_a_whole_lease_without_gaps(t *testing.T) {
	t.Parallel()
	w := &Worker{Options: Options{Lease: 15 * time.Second}}
	start := time.Now()
	for _, beat := range []struct {
		after time.Duration
		want  bool
	}{
		{0, false}, {3 * time.Second, false}, {9 * time.Second, false}, {15 * time.Second, true}, {18 * time.Second, true},
		{26 * time.Second, false}, {33 * time.Second, false}, {40 * time.Second, false}, {41 * time.Second, true}, // after a gap
	} {
		if got := w.heartbeatsCoverLease(start.Add(beat.after)); got != beat.want {
			t.Errorf("after %v: got %v, want %v", beat.after, got, beat.want)
		}
	}
}

// Stop hands unfinished jobs to other workers, and this does not count as an attempt.
func TestStop_hands_jobs_back(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 2)
	first := w.start(t, func(o *Options) {
		o.Store = store
		o.Lease = time.Hour // only handing it back gives the job to another worker
	})
	<-store.stalled
	w.await(t, job.ID, "started", started)
	second := w.start(t, func(o *Options) { o.Lease = time.Hour })
	began := time.Now()
	stop(t, first)
	stopped := time.Now()
	if got := stopped.Sub(began); got > stopGrace+time.Minute {
		t.Errorf("stop: took %v, want little more than %v", got, stopGrace)
	}
	file := w.awaitCompleted(t, job.ID)
	t.Logf("completed %v after the stop", time.Since(stopped))
	w.checkKept(t, file, captured(capture))
	if got := w.job(t, job.ID); got.CountedAttempts != 1 || got.Attempt != 2 {
		t.Errorf("job: got %d counted of %d attempts, want 1 of 2", got.CountedAttempts, got.Attempt)
	}
	var riverAttempt int
	if err := second.pool.QueryRow(t.Context(), "SELECT attempt FROM river_job WHERE kind = 'job'").Scan(&riverAttempt); err != nil {
		t.Fatalf("read River's row: %v", err)
	}
	if riverAttempt != 1 {
		t.Errorf("River's attempt: got %d, want 1", riverAttempt)
	}
}

func TestStop_waits_for_jobs_that_are_about_to_end(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	job := w.submitCapture(t, capture)
	store := stallAfter(w.store, 2)
	worker := w.start(t, func(o *Options) { o.Store = store })
	<-store.stalled
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop(t, worker)
	}()
	close(store.released)
	<-stopped
	if got := w.job(t, job.ID); got.Status != model.JobCompleted || got.Attempt != 1 {
		t.Errorf("job: got %s at attempt %d, want completed at the first", got.Status, got.Attempt)
	}
}

func TestHoldLease_counts_attempts(t *testing.T) {
	t.Parallel()
	w := &Worker{running: map[int64]int{}}
	first, second := w.holdLease(7), w.holdLease(7)
	first()
	if got := w.runningIDs(); len(got) != 1 || got[0] != 7 {
		t.Errorf("running: got %v, want 7, which is held once more", got)
	}
	second()
	if got := w.runningIDs(); len(got) != 0 {
		t.Errorf("running: got %v, want none", got)
	}
}
