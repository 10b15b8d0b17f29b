package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/internal/background"
	"portico/model"
)

// The queues of periodic jobs, which do not wait behind the jobs of users. A purge waits for the
// store, so it has a queue of its own.
const (
	purgeQueue    = "purge"
	periodicQueue = "periodic"
)

// periodicJobs returns the jobs that run once in each interval, for all workers together: only
// River's leader inserts them.
func periodicJobs() []*river.PeriodicJob {
	now := &river.PeriodicJobOpts{RunOnStart: true}
	return []*river.PeriodicJob{
		periodicJob(purgeQueue, purgeArgs{}, purgeInterval, now),
		periodicJob(periodicQueue, sampleArgs{}, model.SampleInterval, now),
		periodicJob(periodicQueue, rebuildArgs{}, rebuildInterval, nil),
	}
}

// periodicJob returns a job that runs once in each interval. A job that fails is not tried
// again, because the next one follows soon. ByPeriod prevents a second job in the interval
// when another worker becomes the leader.
func periodicJob(queue string, args river.JobArgs, interval time.Duration, options *river.PeriodicJobOpts) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(interval), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{
			Queue: queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: interval},
		}
	}, options)
}

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
	err := r.w.DB.Queue().RebuildQueueIndexes(ctx)
	if err != nil && ctx.Err() == nil {
		r.w.Logger.Warn("rebuild the queue's indexes", "error", err)
	}
	return err
}

// rankInterval is how often a worker orders the background work that waits. River looks for work as
// often.
const rankInterval = time.Second

// rankQueue lets accounts take turns at background work, until ctx ends.
func (w *Worker) rankQueue(ctx context.Context) {
	var outage background.OutageLog
	ticker := time.NewTicker(rankInterval)
	defer ticker.Stop()
	for {
		err := w.DB.Queue().RankQueue(ctx)
		if ctx.Err() == nil {
			outage.Record(w.Logger, err, "order the background work", "the background work is ordered again")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
