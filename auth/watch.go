package auth

import (
	"context"
	"slices"
	"sync"
	"time"

	"portico/db"
)

// recheck is how often watched keys are read without an announcement: a lost one
// delays the end of a stream by that much, and streams end within a second.
const recheck = 500 * time.Millisecond

// Watch returns a context that ends when the key with this id is revoked, on
// any replica; its cause is then the CodeUnauthenticated error that
// Caller gives for such a key. Call the function to stop watching.
func (k *Keys) Watch(ctx context.Context, keyID string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{keyID: keyID, end: cancel}
	k.watches.add(k.db, w)
	context.AfterFunc(ctx, func() { k.watches.remove(w) })
	return ctx, func() { cancel(context.Canceled) }
}

// watch is one context that ends with a key.
type watch struct {
	keyID string
	end   context.CancelCauseFunc
}

// watches are those of a process. While there are some, one goroutine reads the
// keys of all of them in one statement. The zero value is ready.
type watches struct {
	mu   sync.Mutex
	all  map[*watch]struct{}
	stop context.CancelFunc // ends the goroutine; nil while there is none
}

func (w *watches) add(database *db.DB, added *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*watch]struct{}{}
	}
	w.all[added] = struct{}{}
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop = cancel
		go w.run(ctx, database)
	}
}

func (w *watches) remove(gone *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, gone)
	if len(w.all) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// run ends watches whose keys are revoked, until ctx ends.
func (w *watches) run(ctx context.Context, database *db.DB) {
	revoked := database.Watch(ctx, db.TopicRevoked)
	ticker := time.NewTicker(recheck)
	defer ticker.Stop()
	for ctx.Err() == nil {
		// A database that does not answer says nothing about the keys.
		if invalid, err := database.InvalidKeys(ctx, w.keys()); err == nil {
			w.end(invalid)
		}
		select {
		case <-ctx.Done():
		case <-revoked:
		case <-ticker.C:
		}
	}
}

// keys returns the id of each watched key once.
func (w *watches) keys() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.all))
	for watch := range w.all {
		ids = append(ids, watch.keyID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// end ends the watches of the keys.
func (w *watches) end(keyIDs []string) {
	if len(keyIDs) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch := range w.all {
		if slices.Contains(keyIDs, watch.keyID) {
			watch.end(refused()) // remove runs beside, and waits for the lock
		}
	}
}
