package server

import (
	"context"
	"errors"
	"testing"
)

// Probes do not count, failures of the server do, and what cannot be stored is stored later, once.
func TestRequestCount_stores_each_request_once(t *testing.T) {
	t.Parallel()
	var counted requestCount
	for path, status := range map[string]int{"/readyz": 503, "/livez": 200, "/metrics": 200, "/graphql": 200, "/v1/spaces": 500, "/v1/files": 404} {
		counted.add(path, status)
	}
	away := errors.New("no database")
	if err := counted.store(t.Context(), func(context.Context, int64, int64) error { return away }); !errors.Is(err, away) {
		t.Errorf("without a database: got %v, want %v", err, away)
	}
	var stores int
	for range 2 {
		err := counted.store(t.Context(), func(_ context.Context, requests, errors int64) error {
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
