package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// slowProvider sends the metadata of a provider after the channel is closed.
type slowProvider struct {
	opened   chan struct{}
	requests int
}

// RoundTrip implements http.RoundTripper.
func (p *slowProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	p.requests++
	select {
	case <-p.opened:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	body := `{"issuer":"https://id.example","jwks_uri":"https://id.example/keys"}`
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(body)),
		Header: http.Header{"Content-Type": {"application/json"}},
	}, nil
}

// People click again while the provider does not respond, and leave.
func TestDiscover_asks_a_slow_provider_once(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &slowProvider{opened: make(chan struct{})}
		e := newExternal(OIDCOptions{Issuer: "https://id.example", HTTPClient: &http.Client{Transport: slow}}, "", slog.New(slog.DiscardHandler))
		results := make(chan error, 3)
		left, leave := context.WithCancel(t.Context())
		for _, ctx := range []context.Context{left, left, t.Context()} {
			go func() {
				_, err := e.discover(ctx)
				results <- err
			}()
		}
		synctest.Wait()
		leave()
		for range 2 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("somebody who has left: got %v, want %v", err, context.Canceled)
			}
		}
		close(slow.opened)
		if err := <-results; err != nil {
			t.Errorf("somebody who waits: got %v, want the provider", err)
		}
		if slow.requests != 1 {
			t.Errorf("requests: got %d, want 1", slow.requests)
		}
	})
}

func TestDiscover_ends_with_the_site(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &slowProvider{opened: make(chan struct{})}
		e := newExternal(OIDCOptions{Issuer: "https://id.example", HTTPClient: &http.Client{Transport: slow}}, "", slog.New(slog.DiscardHandler))
		waiting := make(chan error, 1)
		go func() {
			_, err := e.discover(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		e.close()
		if err := <-waiting; err == nil {
			t.Error("somebody who waits: got the provider, want an error")
		}
		if _, err := e.discover(t.Context()); err == nil {
			t.Error("somebody who comes later: got the provider, want an error")
		}
	})
}
