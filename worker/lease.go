package worker

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// keepLeases sends a heartbeat now and at every interval until ctx ends. It runs on one goroutine
// from Start to Stop.
func (w *Worker) keepLeases(ctx context.Context) {
	ticker := time.NewTicker(w.Heartbeat)
	defer ticker.Stop()
	for {
		w.heartbeat(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// heartbeat extends the leases of this process's jobs and makes the jobs of dead workers
// available again. It has a deadline, so that a database that does not answer cannot
// block the next heartbeat.
//
// After an outage of the database all leases have run out. So a worker looks for dead workers only
// after it has sent heartbeats for a whole lease: by then every live worker has sent one too.
func (w *Worker) heartbeat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, max(w.Heartbeat, time.Second))
	defer cancel()
	err := w.DB.Queue().ExtendLease(ctx, w.runningIDs())
	if errors.Is(ctx.Err(), context.Canceled) { // this worker stops
		return
	}
	w.extensions.Record(w.Logger, err, "extend the lease of jobs", "the lease of jobs is extended again")
	if err == nil && w.heartbeatsCoverLease(time.Now()) {
		w.rescueJobs(ctx)
	}
}

// rescueJobs makes the jobs of dead workers available again. Every worker calls it, so that no
// single worker is needed for it.
func (w *Worker) rescueJobs(ctx context.Context) {
	rescued, err := w.DB.Queue().RescueJobs(ctx, w.Lease)
	if err == nil {
		var backgroundJobs int
		backgroundJobs, err = w.DB.Queue().RescueBackgroundJobs(ctx, w.Lease)
		rescued += backgroundJobs
	}
	if errors.Is(ctx.Err(), context.Canceled) { // this worker stops, and the others look for dead workers
		return
	}
	w.rescues.Record(w.Logger, err, "look for jobs of dead workers", "the jobs of dead workers are found again")
	if err == nil && rescued > 0 {
		w.Logger.Warn("rescued jobs of dead workers", "jobs", rescued)
	}
}

// heartbeatsCoverLease records a successful heartbeat, and reports whether heartbeats have
// succeeded for a whole lease. A gap of half a lease starts a new count: another worker may have
// lost its lease in the gap, because its last heartbeat was up to one interval earlier.
func (w *Worker) heartbeatsCoverLease(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.lastBeat) > w.Lease/2 {
		w.firstBeat = now
	}
	w.lastBeat = now
	return now.Sub(w.firstBeat) >= w.Lease
}

// holdLease has every heartbeat extend the lease of a job until release is called. It counts
// its calls, because a process that was paused may have two attempts at one job: the attempt
// that lost its lease and a new one.
func (w *Worker) holdLease(riverID int64) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[riverID]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running[riverID]--; w.running[riverID] == 0 {
			delete(w.running, riverID)
		}
	}
}

// runningIDs returns River's ids of the jobs whose leases this process extends.
func (w *Worker) runningIDs() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.running))
}
