package graph

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"portico/db"
)

// A read after the end of the database would be logged as a fault.
func TestResolver_Close_waits_for_the_reads_of_subscriptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var reads sharedReads[int]
	started, ended := make(chan struct{}), atomic.Bool{}
	load := func(ctx context.Context, _ int) (int, time.Duration, error) {
		close(started)
		<-ctx.Done()
		ended.Store(true)
		return 0, 0, ctx.Err()
	}
	reads.subscribe(t.Context(), w.Resolver, db.SpaceTopic("a"), load)
	receive(t, started)
	w.Close()
	if !ended.Load() {
		t.Error("Close: got its return during a read, want it to wait")
	}
	reads.subscribe(t.Context(), w.Resolver, db.SpaceTopic("b"), func(context.Context, int) (int, time.Duration, error) {
		t.Error("read after Close: got one, want none")
		return 0, 0, nil
	})
	w.Close()
}
