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
func (w *Worker) heartbeat(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, max(w.Heartbeat, time.Second))
	defer cancel()
	if ids := w.runningIDs(); len(ids) > 0 {
		if err := w.DB.ExtendLease(ctx, ids); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			w.Logger.Warn("extend the lease of jobs", "error", err)
		}
	}
	// Every worker looks for dead workers, so that no single worker is needed for it.
	rescued, err := w.DB.Rescue(ctx, w.Lease)
	if err == nil {
		var files int
		files, err = w.DB.RescueBackgroundJobs(ctx, w.Lease)
		rescued += files
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled): // this worker stops, and the other workers look for dead workers
	case err != nil:
		w.Logger.Warn("look for jobs of dead workers", "error", err)
	case rescued > 0:
		w.Logger.Warn("rescued jobs of dead workers", "jobs", rescued)
	}
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
