package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
)

// rebuildInterval is the interval at which the indexes of the queue are rebuilt. The queue's
// rows live for seconds, and without a rebuild its indexes would grow forever.
const rebuildInterval = 24 * time.Hour

// rebuildArgs has no fields: a rebuild is always of all indexes.
type rebuildArgs struct{}

// Kind implements river.JobArgs.
func (rebuildArgs) Kind() string { return db.IndexKind }

// rebuildWorker rebuilds the indexes of the queue. It replaces River's reindexer, which needs
// a role that owns the tables.
type rebuildWorker struct {
	river.WorkerDefaults[rebuildArgs]
	w *Worker
}

// Work implements river.Worker. If a table is busy, its indexes are rebuilt the next day.
func (r *rebuildWorker) Work(ctx context.Context, _ *river.Job[rebuildArgs]) error {
	err := r.w.DB.RebuildQueueIndexes(ctx)
	if err != nil && ctx.Err() == nil {
		r.w.Logger.Warn("rebuild the queue's indexes", "error", err)
	}
	return err
}
