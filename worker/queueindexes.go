package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// rebuildEvery is how often the indexes of the queue are made anew.
const rebuildEvery = 24 * time.Hour

type rebuildArgs struct{}

// Kind implements river.JobArgs.
func (rebuildArgs) Kind() string { return "queue-indexes" }

// periodicRebuild replaces River's own, which needs a role that owns the table.
func periodicRebuild() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(rebuildEvery), func() (river.JobArgs, *river.InsertOpts) {
		return rebuildArgs{}, &river.InsertOpts{
			Queue: purgeQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: rebuildEvery},
		}
	}, nil)
}

// rebuildWorker makes the indexes of the queue anew.
type rebuildWorker struct {
	river.WorkerDefaults[rebuildArgs]
	w *Worker
}

// Work implements river.Worker. A table that is busy is left for the next day.
func (r *rebuildWorker) Work(ctx context.Context, _ *river.Job[rebuildArgs]) error {
	err := r.w.DB.RebuildQueueIndexes(ctx)
	if err != nil && ctx.Err() == nil {
		r.w.Logger.Warn("rebuild the queue's indexes", "error", err)
	}
	return err
}
