package auth_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"portico/auth"
	"portico/db"
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

// Credentials are read twice a second, and the log has the start and the end of each outage.
func TestWatches_log_an_outage_once(t *testing.T) {
	t.Parallel()
	database, results := testdb.Open(t), make(chan error)
	var log bytes.Buffer
	watches := &auth.Watches[string]{
		DB: database,
		Invalid: func(ctx context.Context, _ []string) ([]string, error) {
			select {
			case err := <-results:
				return nil, err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		Cause:  func() error { return context.Canceled },
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	ctx, stop := watches.Watch(t.Context(), "a key")
	defer stop()
	first, second := errors.New("the first outage"), errors.New("the second outage")
	// The last result is taken after everything before it was logged.
	for _, result := range []error{nil, first, first, first, nil, nil, second, second, nil} {
		database.Announce(db.TopicRevoked)
		results <- result
	}
	watches.Close()
	if ctx.Err() != nil {
		t.Errorf("a watched context: got %v, want it alive", ctx.Err())
	}
	const recovered = "the credentials that have ended are read again"
	lines, want := strings.Split(strings.TrimSpace(log.String()), "\n"), []string{first.Error(), recovered, second.Error(), recovered}
	if !slices.EqualFunc(lines, want, strings.Contains) {
		t.Errorf("log: got\n%s\nwant the first failure and the recovery of each outage", &log)
	}
}
