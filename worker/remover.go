package worker

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"portico/db"
	"portico/storage"
)

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
	if err := r.db.FinishSweep(ctx, key, r.store.AcceptsLateUploads()); err != nil {
		return err
	}
	return r.db.FinishRemoval(ctx, key)
}
