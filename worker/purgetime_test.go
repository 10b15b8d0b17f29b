package worker

import (
	"context"
	"errors"
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
	if err := w.db.SaveSession(t.Context(), expired); err != nil {
		t.Fatalf("save session: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	worker := w.idle(t, func(o *Options) { o.Store = endless{w.store, cancel} })
	if err := worker.purge(ctx, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("purge: got %v, want %v", err, context.Canceled)
	}
	w.exec(t, "DO $$ BEGIN IF EXISTS (SELECT FROM sessions) THEN RAISE 'got an expired session, want none'; END IF; END $$")
}
