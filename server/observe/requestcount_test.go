package observe

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Probes do not count, failures of the server do, and what cannot be stored is stored later, once.
func TestRequestCount_stores_each_request_once(t *testing.T) {
	t.Parallel()
	var counted RequestCount
	for path, status := range map[string]int{"/readyz": 503, "/livez": 200, "/metrics": 200, "/graphql": 200, "/v1/spaces": 500, "/v1/files": 404} {
		counted.Add(path, status)
	}
	away := errors.New("no database")
	if err := counted.Store(t.Context(), func(context.Context, int64, int64) error { return away }); !errors.Is(err, away) {
		t.Errorf("without a database: got %v, want %v", err, away)
	}
	var stores int
	for range 2 {
		err := counted.Store(t.Context(), func(_ context.Context, requests, errors int64) error {
			stores++
			if requests != 3 || errors != 1 {
				t.Errorf("got %d requests with %d errors, want 3 with 1", requests, errors)
			}
			return nil
		})
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
	}
	if stores != 1 {
		t.Errorf("got %d stores, want 1", stores)
	}
}

// Postgres may commit a statement whose end the server does not wait for.
func TestRequestCount_waits_for_a_store_when_it_stops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var counted RequestCount
		var stored int64
		stop := counted.StartStoring(func(ctx context.Context, requests, _ int64) error {
			stored += requests
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}, slog.New(slog.DiscardHandler))
		counted.Add("/graphql", 200)
		time.Sleep(requestCountInterval)
		synctest.Wait() // the store has started
		stop(t.Context())
		if stored != 1 {
			t.Errorf("stored: got %d requests, want 1", stored)
		}
	})
}

func TestRequestCount_logs_a_store_that_takes_too_long(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var counted RequestCount
		var log bytes.Buffer
		stop := counted.StartStoring(func(ctx context.Context, _, _ int64) error {
			<-ctx.Done()
			return ctx.Err()
		}, slog.New(slog.NewTextHandler(&log, nil)))
		counted.Add("/graphql", 200)
		stop(t.Context())
		if got := log.String(); !strings.Contains(got, "store the counts of requests") || !strings.Contains(got, "deadline exceeded") {
			t.Errorf("log: got %q, want the store with its error", got)
		}
	})
}

func TestRequestCount_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var counted RequestCount
		var log bytes.Buffer
		outage := time.Now().Add(time.Minute)
		stop := counted.StartStoring(func(context.Context, int64, int64) error {
			if time.Now().Before(outage) {
				return errors.New("no database")
			}
			return nil
		}, slog.New(slog.NewTextHandler(&log, nil)))
		counted.Add("/graphql", 200)
		time.Sleep(2 * time.Minute) // of the bubble's clock
		stop(t.Context())
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], "no database") || !strings.Contains(lines[1], "stored again") {
			t.Errorf("log: got %d lines, want the first failure and the recovery\n%s", len(lines), &log)
		}
	})
}
