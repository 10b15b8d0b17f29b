package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// rebuildInterval is the interval at which the indexes of the queue are rebuilt: the
// queue's rows live for seconds, and its indexes would grow forever.
const rebuildInterval = 24 * time.Hour

type rebuildArgs struct{}

// Kind implements river.JobArgs.
func (rebuildArgs) Kind() string { return "queue-indexes" }

// periodicRebuild replaces River's reindexer, which needs a role that owns the tables.
func periodicRebuild() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(rebuildInterval), func() (river.JobArgs, *river.InsertOpts) {
		return rebuildArgs{}, &river.InsertOpts{
			Queue: purgeQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: rebuildInterval},
		}
	}, nil)
}

// rebuildWorker rebuilds the indexes of the queue.
type rebuildWorker struct {
	river.WorkerDefaults[rebuildArgs]
	w *Worker
}

// Work implements river.Worker. A busy table is left for the next day.
func (r *rebuildWorker) Work(ctx context.Context, _ *river.Job[rebuildArgs]) error {
	err := r.w.DB.RebuildQueueIndexes(ctx)
	if err != nil && ctx.Err() == nil {
		r.w.Logger.Warn("rebuild the queue's indexes", "error", err)
	}
	return err
}
