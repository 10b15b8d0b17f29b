package auth

import (
	"context"
	"slices"
	"sync"
	"time"

	"portico/db"
)

// recheck is how often watched credentials are read without an announcement: a lost
// announcement delays the end of a stream by that much, and streams end within a second.
const recheck = 500 * time.Millisecond

// Watch returns a context that ends when the key with this id is revoked, on
// any replica; its cause is then the CodeUnauthenticated error that
// Caller returns for such a key. Call the function to stop watching.
func (k *Keys) Watch(ctx context.Context, keyID string) (context.Context, context.CancelFunc) {
	return k.watches.Watch(ctx, keyID)
}

// Watches end contexts when the credentials that opened them end. While a process
// watches any credential of a kind, one goroutine reads all of them in one statement.
// A is what names a credential: the id of a key, for example.
type Watches[A comparable] struct {
	// DB announces in TopicRevoked that credentials ended.
	DB *db.DB
	// Invalid returns the credentials of the list that are not valid any more.
	Invalid func(ctx context.Context, watched []A) ([]A, error)
	// Cause returns what the context of an invalid credential ends with.
	Cause func() error

	mu   sync.Mutex
	all  map[*watch[A]]struct{}
	stop context.CancelFunc // stops the goroutine; nil while there is none
}

// watch is one context that ends with a credential.
type watch[A comparable] struct {
	access A
	end    context.CancelCauseFunc
}

// Watch returns a context that ends, with Cause, within a second of the end of the
// credential on any replica. Call the function to stop watching.
func (w *Watches[A]) Watch(ctx context.Context, access A) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	added := &watch[A]{access: access, end: cancel}
	w.add(added)
	context.AfterFunc(ctx, func() { w.remove(added) })
	return ctx, func() { cancel(context.Canceled) }
}

func (w *Watches[A]) add(added *watch[A]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*watch[A]]struct{}{}
	}
	w.all[added] = struct{}{}
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // remove calls it with the last watch
		w.stop = cancel
		go w.run(ctx)
	}
}

func (w *Watches[A]) remove(gone *watch[A]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, gone)
	if len(w.all) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// run ends watches whose credentials are invalid, until ctx ends.
func (w *Watches[A]) run(ctx context.Context) {
	revoked := w.DB.Watch(ctx, db.TopicRevoked)
	ticker := time.NewTicker(recheck)
	defer ticker.Stop()
	for ctx.Err() == nil {
		// A database that does not answer says nothing about the credentials.
		if invalid, err := w.Invalid(ctx, w.watched()); err == nil {
			w.end(invalid)
		}
		select {
		case <-ctx.Done():
		case <-revoked:
		case <-ticker.C:
		}
	}
}

// watched returns each watched credential once.
func (w *Watches[A]) watched() []A {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]A, 0, len(w.all))
	seen := make(map[A]bool, len(w.all))
	for watch := range w.all {
		if !seen[watch.access] {
			seen[watch.access] = true
			all = append(all, watch.access)
		}
	}
	return all
}

// end ends the watches of the credentials.
func (w *Watches[A]) end(invalid []A) {
	if len(invalid) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch := range w.all {
		if slices.Contains(invalid, watch.access) {
			watch.end(w.Cause()) // remove runs beside, and waits for the lock
		}
	}
}
