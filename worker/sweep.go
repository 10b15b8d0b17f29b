package worker

import (
	"context"
	"errors"
	"fmt"

	"portico/storage"
)

// sweep takes one batch of the objects that are to be deleted before they are due.
func (w *Worker) sweep(ctx context.Context) (int, error) {
	keys, err := w.DB.Sweeps(ctx, purgeBatch)
	if err != nil {
		return 0, err
	}
	for _, failed := range w.remover().remove(ctx, keys...) {
		if err := w.DB.PostponeSweep(ctx, failed); err != nil {
			return 0, err
		}
	}
	return len(keys), nil
}

// look looks for the bytes of a batch of uploads whose URL has expired: those that are
// there count until somebody confirms them or the purge gives them up.
func (w *Worker) look(ctx context.Context) (int, error) {
	uploads, err := w.DB.LapsedUploads(ctx, purgeBatch)
	if err != nil {
		return 0, err
	}
	for _, upload := range uploads {
		_, err := w.Store.Stat(ctx, upload.StorageKey())
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("look for upload %s: %w", upload.ID, err)
		}
		if _, err := w.DB.ReceivedUpload(ctx, upload.StorageKey()); err != nil {
			return 0, err
		}
	}
	return len(uploads), nil
}
