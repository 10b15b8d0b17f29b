package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// Incomplete bodies use no more memory than the budget, and leave room
// for others.
func TestBodyBudget_drops_the_oldest_bodies(t *testing.T) {
	t.Parallel()
	const size = 1 << 10
	budget := &bodyBudget{maxBytes: 2 * size}
	arrived, ended := make(chan struct{}), make(chan error, 3)
	never := func(*http.Request) bool { return false }
	server := httptest.NewServer(limitBodyTimeWith(never, func(*http.Request) *bodyBudget { return budget }, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.CopyN(io.Discard, r.Body, size); err != nil {
			t.Errorf("the first bytes: got %v, want them", err)
		}
		arrived <- struct{}{}
		_, err := io.ReadAll(r.Body)
		ended <- err
	})))
	t.Cleanup(server.Close)
	var last *io.PipeWriter
	for range 3 {
		body, send := io.Pipe()
		last = send
		t.Cleanup(func() { _ = send.Close() })
		go post(server.URL, body)
		if _, err := send.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		<-arrived
	}
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the first body: got %v, want it to be given up", err)
	}
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the last body: got %v, want the whole of it", err)
	}
}

// post sends a body. The test looks at what the handler gets.
func post(address string, body io.Reader) {
	response, err := http.Post(address, "text/plain", body)
	if err == nil {
		_ = response.Body.Close()
	}
}

func TestBodyBudget_counts_nothing_at_the_end(t *testing.T) {
	t.Parallel()
	budget := &bodyBudget{maxBytes: 10}
	dropped := ""
	add := func(name string) *budgetedBody { return budget.add(func() { dropped += name }) }
	a, b, c := add("a"), add("b"), add("c")
	b.addBytes(6)
	a.addBytes(4)
	if dropped != "" {
		t.Errorf("at the bound: gave up %q, want none", dropped)
	}
	c.addBytes(1)
	b.addBytes(3)
	if dropped != "a" {
		t.Errorf("over the limit: dropped %q, want the oldest body", dropped)
	}
	a.addBytes(9)
	for _, body := range []*budgetedBody{a, b, b, c} {
		body.remove()
	}
	c.addBytes(100)
	if budget.bytes != 0 || len(budget.bodies) != 0 || dropped != "a" {
		t.Errorf("at the end: %d bytes of %d bodies, gave up %q, want nothing but a", budget.bytes, len(budget.bodies), dropped)
	}
}
