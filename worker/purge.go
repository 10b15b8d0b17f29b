package worker

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
)

const (
	purgeInterval = 30 * time.Second
	purgeBatch    = 500
	// storeBatch is the size of a batch of objects that are looked for in the store or deleted from
	// it. It is small, because a bucket may take a second for each of them: a batch must end within
	// maxStoreTime.
	storeBatch = 50
	// maxPartTime is how long a part of the purge starts new batches. The next purge continues.
	maxPartTime = 30 * time.Second
	// maxStoreTime is how long a batch may wait for the store. A store that does not answer delays
	// the purge by this time for each part that uses the store. A batch in a slow bucket takes less.
	maxStoreTime = time.Minute
	// removalRetryDelay is the wait before an object that could not be removed is tried
	// again. Without it such objects would fill every batch.
	removalRetryDelay = 5 * time.Minute
)

// purgeArgs has no fields: a purge finds its work in the database.
type purgeArgs struct{}

// Kind implements river.JobArgs.
func (purgeArgs) Kind() string { return db.PurgeKind }

// purgeWorker purges what has expired.
type purgeWorker struct {
	river.WorkerDefaults[purgeArgs]
	w     *Worker
	clock steadyClock
}

// Timeout implements river.Worker.
func (p *purgeWorker) Timeout(*river.Job[purgeArgs]) time.Duration { return 10 * time.Minute }

// Work implements river.Worker. It logs the error, because River does not.
func (p *purgeWorker) Work(ctx context.Context, _ *river.Job[purgeArgs]) error {
	err := p.w.purge(ctx, p.clock.now())
	if err != nil && ctx.Err() == nil {
		p.w.Logger.Warn("purge", "error", err)
	}
	return err
}

// purge removes jobs that ended JobRetention ago, uploads that nobody confirmed, objects whose
// removal is due, expired sign-ins and visits, and events of the audit trail older than
// AuditRetention. It records the versions of changed spaces and removes old versions, enqueues jobs
// that have lost their row of River, and marks entities that a change of their file has skipped. An
// error in one part does not stop the other parts. It uses the earlier of two clocks, now and the
// clock of the database, so that neither alone can make it purge too early. Two purges may overlap,
// which is harmless.
//
// Each part is a loop of batches: short statements hold no locks for long, and a purge that is
// killed keeps what it has deleted so far. The parts that wait for the store come last, so that a
// slow bucket does not delay the others.
func (w *Worker) purge(ctx context.Context, now time.Time) error {
	now, err := w.DB.EarlierClock(ctx, now)
	if err != nil {
		return err
	}
	return errors.Join(
		inBatches(purgeBatch, func() (int, error) { return w.DB.EnqueueLostJobs(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeJobs(ctx, now.Add(-w.JobRetention), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeUploads(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.DiscardExpired(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeVisits(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeAuditTrail(ctx, w.AuditRetention, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.RecordFreeVersions(ctx, "", w.History, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeHistory(ctx, w.History, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.purgeDeliveries(ctx) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.MarkSkippedEntities(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.PurgeSignIns(ctx, purgeBatch) }),
		inBatches(storeBatch, func() (int, error) { return w.recordReceivedUploads(ctx) }),
		inBatches(storeBatch, func() (int, error) { return w.sweep(ctx) }),
		inBatches(storeBatch, func() (int, error) { return w.purgeRemovals(ctx) }),
	)
}

// purgeDeliveries removes one batch of old deliveries of webhooks, and disables webhooks with
// too many events waiting.
func (w *Worker) purgeDeliveries(ctx context.Context) (int, error) {
	if w.Webhooks.Open == nil {
		return 0, nil
	}
	if _, err := w.DB.DisableFullWebhooks(ctx); err != nil {
		return 0, err
	}
	return w.DB.PurgeDeliveries(ctx, w.Webhooks.LogAge, purgeBatch)
}

// inBatches calls batch until it returns fewer rows than size, a full batch, or for maxPartTime.
func inBatches(size int, batch func() (int, error)) error {
	for end := time.Now().Add(maxPartTime); ; {
		n, err := batch()
		if err != nil || n < size || time.Now().After(end) {
			return err
		}
	}
}

// purgeRemovals removes one batch of the objects whose removal is due.
func (w *Worker) purgeRemovals(ctx context.Context) (int, error) {
	keys, err := w.DB.DueRemovals(ctx, storeBatch)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, w.storeTimeout)
	defer cancel()
	// remove has deleted the keys that succeeded from the list. Those that failed get a later time.
	failed, err := w.remover().remove(limited, keys...)
	for _, key := range failed {
		err = errors.Join(err, w.DB.ScheduleRemovals(ctx, time.Now().Add(removalRetryDelay), key))
	}
	return len(keys), err
}
