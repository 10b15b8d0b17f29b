package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// echo listens at a socket and sends back what comes.
func echo(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	check(t, err)
	t.Cleanup(func() { check(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // with the test
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	return socket
}

// dial opens a connection through the relay that is given up after a while.
func dial(t *testing.T, r *relay) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	check(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn
}

// says reports whether what is sent comes back.
func says(conn net.Conn, text string) bool {
	got := make([]byte, len(text))
	_, err := io.WriteString(conn, text)
	if err == nil {
		_, err = io.ReadFull(conn, got)
	}
	return err == nil && string(got) == text
}

func TestRelay_is_silent_or_refuses_when_told(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	r := newRelay(listener, "unix", echo(t))
	t.Cleanup(func() { check(t, r.close()) })
	before := dial(t, r)
	if !says(before, "open") {
		t.Error("open: got nothing back")
	}
	r.set(relaySilent)
	_, err = io.WriteString(before, "later")
	check(t, err)
	check(t, before.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	var timeout net.Error
	if n, err := before.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("silent: got %d bytes and %v, want neither a response nor an end", n, err)
	}
	r.set(relayOpen)
	check(t, before.SetReadDeadline(time.Now().Add(20*time.Second)))
	got := make([]byte, 5)
	if _, err := io.ReadFull(before, got); err != nil || string(got) != "later" {
		t.Errorf("open again: got %q, %v, want what was on its way", got, err)
	}
	r.set(relayRefused)
	if _, err := before.Read(got); err == nil {
		t.Error("refused: got a response on a connection that was there, want its end")
	}
	if says(dial(t, r), "new") {
		t.Error("refused: got a response on a new connection, want its end")
	}
	r.set(relayOpen)
	if !says(dial(t, r), "open") {
		t.Error("open after all: got nothing back")
	}
}

// Each fault does to a request what it is called for.
func TestFaultyProxy_injects_each_fault(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 10_000)
	var taken atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		taken.Store(int64(len(got)))
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	shared := &stage{seed: 5}
	w := &world{stage: shared, tally: newTally("proxy")}
	t.Cleanup(func() { check(t, w.close()) })
	f, address, err := w.openProxy(t.Context(), server.URL)
	check(t, err)
	f.mu.Lock()
	f.maxDelay = time.Millisecond
	f.mu.Unlock()
	seen := map[string]int{}
	for range 400 {
		seen[outcomeOf(t, address, body, &taken)]++
	}
	for _, want := range []string{"whole", "500 Internal Server Error", "503 Service Unavailable", "broken"} {
		if seen[want] == 0 {
			t.Errorf("400 requests: got %v, want some %s", seen, want)
		}
	}
	f.set(&f.unreachable, true)
	for range 50 {
		if got := outcomeOf(t, address, body, &taken); got != "broken" {
			t.Fatalf("unreachable: got %s", got)
		}
	}
	f.stopFaults()
	for range 50 {
		if got := outcomeOf(t, address, body, &taken); got != "whole" {
			t.Fatalf("without faults: got %s", got)
		}
	}
}

// outcomeOf sends a request and says what became of it.
func outcomeOf(t *testing.T, address string, body []byte, taken *atomic.Int64) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	check(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "broken"
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return "broken"
	case response.StatusCode != http.StatusOK:
		return response.Status
	case !bytes.Equal(got, body) || taken.Load() != int64(len(body)):
		return "half, without an error"
	}
	return "whole"
}
