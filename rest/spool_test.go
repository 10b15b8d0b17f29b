package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Two clients with large change sets do not keep others from small ones.
func TestSpoolBody_lets_small_bodies_pass(t *testing.T) {
	t.Parallel()
	a := &api{tempDir: t.TempDir(), largeBodies: make(chan struct{}, 1)}
	spoolOf := func(ctx context.Context, size int) (*spool, error) {
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/spaces/a/changeset", strings.NewReader(strings.Repeat(" ", size)))
		return a.spoolBody(httptest.NewRecorder(), request)
	}
	large, err := spoolOf(t.Context(), largeBody+1)
	check(t, err)
	small, err := spoolOf(t.Context(), largeBody)
	check(t, err)
	check(t, small.Close())
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := spoolOf(left, largeBody+1); !errors.Is(err, context.Canceled) {
		t.Errorf("a second large body whose client has left: got %v, want it canceled", err)
	}
	check(t, large.Close())
	next, err := spoolOf(t.Context(), largeBody+1)
	check(t, err)
	check(t, next.Close())
}
