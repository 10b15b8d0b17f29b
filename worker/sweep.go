package worker

import (
	"context"
	"errors"
	"fmt"

	"portico/model"
	"portico/storage"
)

// sweep deletes one batch of the objects whose sweep is due. It does not wait until their removal
// is due, so that their bytes stop counting in the quota soon. An object that cannot be deleted is
// tried again later, so that it does not fill every batch.
func (w *Worker) sweep(ctx context.Context) (int, error) {
	keys, err := w.DB.DueSweeps(ctx, storeBatch)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, w.storeTimeout)
	defer cancel()
	failed, err := w.remover().remove(limited, keys...)
	for _, key := range failed {
		err = errors.Join(err, w.DB.PostponeSweep(ctx, key))
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
	uploads, err := w.DB.ExpiredUploads(ctx, storeBatch)
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
		_, err = w.DB.KeepReceived(ctx, upload.StorageKey())
	}
	return err
}
