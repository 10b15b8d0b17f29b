package worker

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"portico/model"
)

// purgeQueue keeps the purge from waiting behind long jobs.
const purgeQueue = "purge"

// The times and sizes of the purge.
const (
	purgeEvery = 30 * time.Second
	purgeBatch = 500
	// postponed is how long an object that could not be removed waits for the
	// next try, so that it does not keep others from theirs.
	postponed = 5 * time.Minute
)

type purgeArgs struct{}

// Kind implements river.JobArgs.
func (purgeArgs) Kind() string { return "purge" }

// periodicPurge begins one purge in a period, whatever the number of workers.
// River's leader alone adds it; the unique period covers a change of leader. Two
// that overlap, as after a long one, do no harm.
func periodicPurge() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(purgeEvery), func() (river.JobArgs, *river.InsertOpts) {
		return purgeArgs{}, &river.InsertOpts{
			Queue: purgeQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: purgeEvery},
		}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// purgeWorker removes what has had its time.
type purgeWorker struct {
	river.WorkerDefaults[purgeArgs]
	w     *Worker
	clock steadyClock
}

// Timeout implements river.Worker.
func (p *purgeWorker) Timeout(*river.Job[purgeArgs]) time.Duration { return 10 * time.Minute }

// Work implements river.Worker. River does not log what a job fails with.
func (p *purgeWorker) Work(ctx context.Context, _ *river.Job[purgeArgs]) error {
	err := p.w.purge(ctx, p.clock.now())
	if err != nil && ctx.Err() == nil {
		p.w.Logger.Warn("purge", "error", err)
	}
	return err
}

// purge removes jobs that ended JobTTL ago, uploads that nobody confirmed, and
// the objects that were written down for removal, what sign-ins and visits left, and
// the end of the audit trail. Trouble with one does not keep it from the others. What has
// its time by one clock alone, now or the database's, is left for later.
func (w *Worker) purge(ctx context.Context, now time.Time) error {
	now, err := w.DB.Earlier(ctx, now)
	if err != nil {
		return err
	}
	return errors.Join(
		inBatches(func() (int, error) { return w.DB.PurgeJobs(ctx, now.Add(-w.JobTTL), purgeBatch) }),
		inBatches(func() (int, error) { return w.DB.ForgetUploads(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(func() (int, error) { return w.DB.DiscardExpired(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(func() (int, error) { return w.purgeRemovals(ctx) }),
		inBatches(func() (int, error) { return w.DB.PurgeVisits(ctx, purgeBatch) }),
		inBatches(func() (int, error) { return w.sweep(ctx) }),
		inBatches(func() (int, error) { return w.look(ctx) }),
		inBatches(func() (int, error) { return w.DB.PurgeAuditTrail(ctx, w.AuditRetention, purgeBatch) }),
		w.DB.PurgeSignIns(ctx),
	)
}

// inBatches repeats a batch until it finds less than a whole one.
func inBatches(batch func() (int, error)) error {
	for {
		n, err := batch()
		if err != nil || n < purgeBatch {
			return err
		}
	}
}

// purgeRemovals takes one batch of removals off the list of those that are due.
func (w *Worker) purgeRemovals(ctx context.Context) (int, error) {
	keys, err := w.DB.Removals(ctx, purgeBatch)
	if err != nil {
		return 0, err
	}
	for _, failed := range w.remover().remove(ctx, keys...) {
		if err := w.DB.AddRemovals(ctx, time.Now().Add(postponed), failed); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}
