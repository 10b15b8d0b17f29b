package worker

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"portico/db"
	"portico/storage"
)

// A part with much work must not keep the others from theirs.
func TestInBatches_ends_after_its_time(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		err := inBatches(purgeBatch, func() (int, error) {
			time.Sleep(maxPartTime*2/3 + time.Second)
			if calls++; calls == 10 {
				return 0, nil
			}
			return purgeBatch, nil
		})
		if calls != 2 || err != nil {
			t.Errorf("got %d calls and %v, want 2 and nil", calls, err)
		}
	})
}

// endless is a store whose deletions take longer than the purge may.
type endless struct {
	storage.Store
	endPurge context.CancelFunc
}

// Delete implements storage.Store.
func (e endless) Delete(ctx context.Context, _ string) error {
	e.endPurge()
	return ctx.Err()
}

// A slow bucket must not keep the purge from what is in the database.
func TestPurge_purges_the_database_before_the_store(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRemovals(t, time.Now().Add(-time.Second), "1/a")
	expired := db.BrowserSession{Token: "expired", Data: []byte("x"), Expires: time.Now().Add(-time.Second)}
	if err := w.db.SignIns().SaveSession(t.Context(), expired); err != nil {
		t.Fatalf("save session: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	worker := w.idle(t, func(o *Options) { o.Store = endless{w.store, cancel} })
	if err := worker.purge(ctx, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("purge: got %v, want %v", err, context.Canceled)
	}
	w.exec(t, "DO $$ BEGIN IF EXISTS (SELECT FROM sessions) THEN RAISE 'got an expired session, want none'; END IF; END $$")
}

// hanging is a store that accepts requests and does not answer.
type hanging struct{ storage.Store }

// Stat implements storage.Store.
func (hanging) Stat(ctx context.Context, _ string) (storage.Object, error) {
	<-ctx.Done()
	return storage.Object{}, ctx.Err()
}

// Delete implements storage.Store.
func (hanging) Delete(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// The next purge tries the other objects first.
func TestPurge_ends_although_the_store_hangs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.promise(t, time.Now().Add(-time.Minute))
	w.addRemovals(t, time.Now().Add(-2*time.Minute), "1/first")
	w.addRemovals(t, time.Now().Add(-time.Minute), "1/second")
	w.exec(t, "INSERT INTO removals (key, due_at, sweep_at) VALUES ('1/late', now() + interval '1 hour', now() - interval '1 minute')")
	worker := w.idle(t, func(o *Options) { o.Store = hanging{w.store} })
	worker.storeTimeout = 20 * time.Millisecond
	if err := worker.purge(t.Context(), time.Now()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("purge: got %v, want %v", err, context.DeadlineExceeded)
	}
	due, err := w.db.Files().DueRemovals(t.Context(), 10)
	if want := []string{"1/second"}; err != nil || !slices.Equal(due, want) {
		t.Errorf("removals that are due: got %q, %v, want %q", due, err, want)
	}
	if sweeps, err := w.db.Files().DueSweeps(t.Context(), 10); err != nil || len(sweeps) != 0 {
		t.Errorf("sweeps that are due: got %q, %v, want none", sweeps, err)
	}
}

// countedDeletions is a store that is unavailable, and counts the deletions that are tried.
type countedDeletions struct {
	lost
	tried int
}

// Delete implements storage.Store.
func (s *countedDeletions) Delete(context.Context, string) error {
	s.tried++
	return s.unavailable()
}

func TestRemove_stops_at_an_outage_of_the_store(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := &countedDeletions{lost: lost{w.store}}
	worker := w.idle(t, func(o *Options) { o.Store = store })
	failed, err := worker.remover().remove(t.Context(), "1/a", "1/b")
	if want := []string{"1/a"}; !slices.Equal(failed, want) || !errors.Is(err, storage.ErrUnavailable) || store.tried != 1 {
		t.Errorf("remove: got %q, %v after %d deletions, want %q, %v after one", failed, err, store.tried, want, storage.ErrUnavailable)
	}
}

// heldStat is a store whose Stat announces its call, and waits until the test releases it.
type heldStat struct {
	storage.Store
	called, released chan struct{}
}

// Stat implements storage.Store.
func (s heldStat) Stat(ctx context.Context, key string) (storage.Object, error) {
	s.called <- struct{}{}
	<-s.released
	return s.Store.Stat(ctx, key)
}

// The plots of operators continue during an outage of the bucket, in which a purge takes minutes.
func TestWorker_stores_samples_during_a_purge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.promise(t, time.Now().Add(-time.Minute))
	store := heldStat{w.store, make(chan struct{}), make(chan struct{})}
	w.start(t, func(o *Options) { o.Store = store })
	t.Cleanup(func() { close(store.released) })
	select {
	case <-store.called:
	case <-time.After(timeout):
		t.Fatal("got no purge, want one when the worker starts")
	}
	for deadline := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		samples, err := w.db.Operations().Samples(t.Context(), time.Now().Add(-time.Hour))
		if err != nil {
			t.Fatalf("samples: %v", err)
		}
		if len(samples) > 1 { // the last one is the state now, which is not stored
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("samples: got none, want one during the purge")
		}
	}
}
