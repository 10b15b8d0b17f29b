package auth

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"portico/db"
	"portico/internal/background"
)

// recheckInterval is the interval at which watched credentials are read without an announcement.
// Streams must end within a second, even if the announcement is lost.
const recheckInterval = 500 * time.Millisecond

// Watch returns a context that ends when the key with this id is revoked, on any replica. Its
// cause is then the error of Caller for a revoked key. Call the function to stop watching.
func (k *Keys) Watch(ctx context.Context, keyID string) (context.Context, context.CancelFunc) {
	return k.watches.Watch(ctx, keyID)
}

// SetLogger sets the logger of failed reads of watched keys. Call it before Watch. Without it they
// are logged to slog.Default.
func (k *Keys) SetLogger(logger *slog.Logger) { k.watches.Logger, k.visits.Logger = logger, logger }

// Close stops watching keys and share links. The caller closes the keys before the database.
func (k *Keys) Close() {
	k.watches.Close()
	k.visits.Close()
}

// Watches cancels contexts when their credentials become invalid. While a process watches
// credentials of a kind, one goroutine reads all of them in one statement. Credential identifies a
// credential, for example by the id of a key.
//
// An announcement ends streams within milliseconds, and the ticker ends the streams of a process
// that missed it.
type Watches[Credential comparable] struct {
	// DB announces ended credentials in TopicRevoked.
	DB *db.DB
	// Invalid returns which of the credentials are no longer valid.
	Invalid func(ctx context.Context, watched []Credential) ([]Credential, error)
	// Cause returns the cause of contexts that end with their credentials.
	Cause func() error
	// Logger logs when Invalid starts to fail, and when it succeeds again; nil means slog.Default.
	Logger *slog.Logger

	outage background.OutageLog
	loops  background.Group // run, and the calls before it that still end

	mu   sync.Mutex
	all  map[*watch[Credential]]struct{}
	stop context.CancelFunc // ends run; nil while no credential is watched
}

// watch is one context that ends with a credential.
type watch[Credential comparable] struct {
	credential Credential
	end        context.CancelCauseFunc
}

// Watch returns a context that ends, with Cause, within a second after the credential ends on
// any replica. Call the function to stop watching.
func (w *Watches[Credential]) Watch(ctx context.Context, credential Credential) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	added := &watch[Credential]{credential: credential, end: cancel}
	w.add(added)
	context.AfterFunc(ctx, func() { w.remove(added) })
	return ctx, func() { cancel(context.Canceled) }
}

// add adds a watch, and starts the goroutine with the first one.
func (w *Watches[Credential]) add(added *watch[Credential]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[*watch[Credential]]struct{}{}
	}
	w.all[added] = struct{}{}
	if w.stop == nil {
		w.stop, _ = w.loops.Go(w.run) // starts nothing after Close
	}
}

// Close stops reading credentials, and returns when no more statement runs. The contexts that are
// still watched do not end with their credentials any more.
func (w *Watches[Credential]) Close() { w.loops.Stop() }

// remove removes a watch. It stops the goroutine with the last one, so that a process without
// watches reads nothing.
func (w *Watches[Credential]) remove(removed *watch[Credential]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, removed)
	if len(w.all) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// run ends the watches of invalid credentials, until ctx ends.
func (w *Watches[Credential]) run(ctx context.Context) {
	revoked := w.DB.Watch(ctx, db.TopicRevoked)
	ticker := time.NewTicker(recheckInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		w.check(ctx)
		select {
		case <-ctx.Done():
		case <-revoked:
		case <-ticker.C:
		}
	}
}

// check ends the watches of the credentials that are invalid now. An error of the database does not
// mean that credentials are invalid. It is logged once in an outage, because the next check follows
// within recheckInterval. The end of ctx is not logged.
func (w *Watches[Credential]) check(ctx context.Context) {
	invalid, err := w.Invalid(ctx, w.watched())
	if err == nil || ctx.Err() == nil {
		w.outage.Record(cmp.Or(w.Logger, slog.Default()), err,
			"read which credentials have ended", "the credentials that have ended are read again")
	}
	if err == nil {
		w.cancelInvalid(invalid)
	}
}

// watched returns each watched credential once.
func (w *Watches[Credential]) watched() []Credential {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]Credential, 0, len(w.all))
	seen := make(map[Credential]bool, len(w.all))
	for watch := range w.all {
		if !seen[watch.credential] {
			seen[watch.credential] = true
			all = append(all, watch.credential)
		}
	}
	return all
}

func (w *Watches[Credential]) cancelInvalid(invalid []Credential) {
	if len(invalid) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for watch := range w.all {
		if slices.Contains(invalid, watch.credential) {
			watch.end(w.Cause()) // remove runs in another goroutine, and waits for the lock
		}
	}
}
