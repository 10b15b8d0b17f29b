package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
	"portico/storage"
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
// removal is due, expired sign-ins and visits, old statistics, and events of the audit trail older than
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
	now, err := w.DB.Operations().EarlierClock(ctx, now)
	if err != nil {
		return err
	}
	return errors.Join(
		inBatches(purgeBatch, func() (int, error) { return w.DB.Queue().EnqueueLostJobs(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Jobs().PurgeJobs(ctx, now.Add(-w.JobRetention), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Uploads().PurgeUploads(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Uploads().DiscardExpired(ctx, model.ExpiredBefore(now), purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Spaces().PurgeVisits(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Handles().PurgeHandles(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Spaces().PurgeStatistics(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Audit().PurgeAuditTrail(ctx, w.AuditRetention, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.History().RecordFreeVersions(ctx, "", w.History, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.History().PurgeHistory(ctx, w.History, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.purgeDeliveries(ctx) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Watched().MarkSkippedEntities(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Keys().PurgeSignIns(ctx, purgeBatch) }),
		inBatches(purgeBatch, func() (int, error) { return w.DB.Files().PurgeFormats(ctx, purgeBatch) }),
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
	if _, err := w.DB.Webhooks().DisableFullWebhooks(ctx); err != nil {
		return 0, err
	}
	return w.DB.Webhooks().PurgeDeliveries(ctx, w.Webhooks.LogAge, purgeBatch)
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
	keys, err := w.DB.Files().DueRemovals(ctx, storeBatch)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, w.storeTimeout)
	defer cancel()
	// remove has deleted the keys that succeeded from the list. Those that failed get a later time.
	failed, err := w.remover().remove(limited, keys...)
	for _, key := range failed {
		err = errors.Join(err, w.DB.Files().ScheduleRemovals(ctx, time.Now().Add(removalRetryDelay), key))
	}
	return len(keys), err
}

// sweep deletes one batch of the objects whose sweep is due. It does not wait until their removal
// is due, so that their bytes stop counting in the quota soon. An object that cannot be deleted is
// tried again later, so that it does not fill every batch.
func (w *Worker) sweep(ctx context.Context) (int, error) {
	keys, err := w.DB.Files().DueSweeps(ctx, storeBatch)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, w.storeTimeout)
	defer cancel()
	failed, err := w.remover().remove(limited, keys...)
	for _, key := range failed {
		err = errors.Join(err, w.DB.Files().PostponeSweep(ctx, key))
	}
	return len(keys), err
}

// recordReceivedUploads looks in the store for the bytes of one batch of uploads whose URL has
// expired. Received bytes count in their owner's quota until the upload is confirmed or the purge
// removes it.
//
// An upload that fails does not stop the others: ExpiredUploads returns them again after minutes,
// and until then their bytes count in no quota. During an outage the others would fail too.
func (w *Worker) recordReceivedUploads(ctx context.Context) (int, error) {
	uploads, err := w.DB.Uploads().ExpiredUploads(ctx, storeBatch)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, w.storeTimeout)
	defer cancel()
	var errs []error
	for _, upload := range uploads {
		if err := w.recordIfReceived(ctx, upload); err != nil {
			errs = append(errs, fmt.Errorf("record upload %s: %w", upload.ID, err))
			if ctx.Err() != nil || isUnavailable(ctx, w.Store, err) {
				break
			}
		}
	}
	return len(uploads), errors.Join(errs...)
}

// recordIfReceived records that the store has the bytes of the upload, if it has them.
func (w *Worker) recordIfReceived(ctx context.Context, upload *model.Upload) error {
	_, err := w.Store.Stat(ctx, upload.StorageKey())
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		_, err = w.DB.Uploads().KeepReceived(ctx, upload.StorageKey())
	}
	return err
}

// sampleArgs has no fields: a sample is of the whole server.
type sampleArgs struct{}

// Kind implements river.JobArgs.
func (sampleArgs) Kind() string { return db.SampleKind }

// sampleWorker stores the state of the server for the plots of operators.
type sampleWorker struct {
	river.WorkerDefaults[sampleArgs]
	w *Worker
}

// Work implements river.Worker. A sample that fails is not taken again: the plot has a gap.
func (s *sampleWorker) Work(ctx context.Context, _ *river.Job[sampleArgs]) error {
	err := s.w.DB.Operations().AddSample(ctx)
	if err != nil && ctx.Err() == nil {
		s.w.Logger.Warn("store a sample", "error", err)
	}
	return err
}

// remover removes objects from the store that the database lists for removal.
type remover struct {
	db    *db.DB
	store storage.Store
	log   *slog.Logger
}

// remover returns the remover of the purge.
func (w *Worker) remover() remover { return remover{w.DB, w.Store, w.Logger} }

// remove removes objects, and deletes their keys from the list where the removal is due. It
// returns the keys that failed, which stay on the list for the purge. It returns an error when the
// store or the database is unavailable or ctx has ended. Then it leaves out the remaining keys: each
// of them would fail too, after a long wait.
func (r remover) remove(ctx context.Context, keys ...string) (failed []string, err error) {
	for _, key := range keys {
		err := r.removeOne(ctx, key)
		if err == nil {
			continue
		}
		r.log.Warn("remove from the store", "key", key, "error", err)
		failed = append(failed, key)
		if ctx.Err() != nil || isUnavailable(ctx, r.store, err) {
			return failed, fmt.Errorf("remove %q from the store: %w", key, err)
		}
	}
	return failed, nil
}

// removeOne removes an object, or a folder if the key ends in a slash, and frees its bytes in the
// owner's quota. The order is object, quota, list: a crash in between repeats the removal, which is
// harmless.
func (r remover) removeOne(ctx context.Context, key string) error {
	remove := r.store.Delete
	if strings.HasSuffix(key, "/") {
		remove = r.store.DeletePrefix
	}
	if err := remove(ctx, key); err != nil {
		return err
	}
	if err := r.db.Files().FinishSweep(ctx, key, r.store.AcceptsLateUploads()); err != nil {
		return err
	}
	return r.db.Files().FinishRemoval(ctx, key)
}
