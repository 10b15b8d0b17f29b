package auth_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"portico/auth"
	"portico/internal/testkit/postgres/testdb"
)

// A statement that runs at Close ends before it returns, because the database is closed next.
func TestWatches_wait_at_Close_for_their_statement(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 1)
	var ended atomic.Bool
	watches := &auth.Watches[string]{
		DB: testdb.Open(t),
		Invalid: func(ctx context.Context, _ []string) ([]string, error) {
			started <- struct{}{}
			<-ctx.Done()
			for range 1000 { // lets Close return, if it does not wait
				runtime.Gosched()
			}
			ended.Store(true)
			return nil, ctx.Err()
		},
		Cause: func() error { return context.Canceled },
	}
	ctx, stop := watches.Watch(t.Context(), "a key")
	defer stop()
	<-started
	watches.Close()
	if !ended.Load() {
		t.Error("Close: got its end while a statement runs, want it afterwards")
	}
	_, stopLate := watches.Watch(t.Context(), "another key")
	defer stopLate()
	watches.Close()
	if ctx.Err() != nil {
		t.Errorf("a watched context: got %v, want it alive", ctx.Err())
	}
	if len(started) > 0 {
		t.Error("a watch after Close: got a statement, want none")
	}
}
