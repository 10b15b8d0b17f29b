package limit

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"portico/internal/testkit/logs"
)

// outage is a Redis that can go away, with what is logged about it.
type outage struct {
	*Limiter
	t      *testing.T
	clock  *clock
	server *miniredis.Miniredis
	log    *logs.Buffer
}

// levels returns the levels of what was logged.
func levels(log *logs.Buffer) string {
	var levels []string
	for _, line := range log.Lines() {
		level, _, _ := strings.Cut(line, " ")
		levels = append(levels, strings.TrimPrefix(level, "level="))
	}
	return strings.Join(levels, " ")
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	w, server := newMiniredis(t)
	o := &outage{t: t, clock: newClock(), server: server, log: &logs.Buffer{}}
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	w.options.Now = o.clock.Now
	w.options.Logger = slog.New(slog.NewTextHandler(o.log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	o.Limiter = w.limiter()
	return o
}

// try lets a second pass and a request come, and waits for what it sets off.
func (o *outage) try() {
	o.t.Helper()
	o.clock.advance(retryInterval)
	take(o.t, o.Limiter, 1, "ip:passer-by", All)
	o.store.(*fallback).awaitProbe(o.t)
}

// awaitProbe waits for the end of the probe that a request has started. Nothing announces it.
func (f *fallback) awaitProbe(t *testing.T) {
	t.Helper()
	probing := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.probing
	}
	for deadline := time.Now().Add(longRedisTimeout); probing(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the probe has not ended")
		}
	}
}

func (o *outage) logged(want string) {
	o.t.Helper()
	if got := levels(o.log); got != want {
		o.t.Errorf("log: got %q, want %q", got, want)
	}
}

func TestFallback_counts_in_memory_while_Redis_is_away(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		leave, enter func(*miniredis.Miniredis) error
	}{
		{"is stopped",
			func(m *miniredis.Miniredis) error { m.Close(); return nil },
			func(m *miniredis.Miniredis) error { return m.Restart() }},
		{"answers with errors",
			func(m *miniredis.Miniredis) error {
				m.SetError("READONLY You can't write against a read only replica.")
				return nil
			},
			func(m *miniredis.Miniredis) error { m.SetError(""); return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newOutage(t)
			take(t, o.Limiter, 15, alice, Upload)
			o.logged("")
			check(t, c.leave(o.server))
			take(t, o.Limiter, 20, alice, Upload) // a window of this process
			refused(t, o.Limiter, alice, Upload)
			for range 5 {
				o.try()
			}
			o.logged("WARN")
			check(t, c.enter(o.server))
			refused(t, o.Limiter, alice, Upload) // not tried yet
			for !strings.HasSuffix(levels(o.log), "INFO") {
				o.try()
			}
			take(t, o.Limiter, 5, alice, Upload) // Redis has kept the first 15
			refused(t, o.Limiter, alice, Upload)
			o.logged("WARN INFO")
		})
	}
}

func TestFallback_says_it_again_when_it_happens_again(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	for range 2 {
		o.server.SetError("LOADING")
		take(t, o.Limiter, 1, alice, Upload)
		o.server.SetError("")
		o.try()
	}
	o.logged("WARN INFO WARN INFO")
}

func TestFallback_starts_without_Redis(t *testing.T) {
	t.Parallel()
	w, server := newMiniredis(t)
	server.Close()
	l := w.limiter()
	take(t, l, 20, alice, Upload)
	refused(t, l, alice, Upload)
}

func TestFallback_is_exact_in_memory(t *testing.T) {
	t.Parallel()
	w, server := newMiniredis(t)
	server.Close()
	if got, want := passing(t.Context(), 1000, []*Limiter{w.limiter()}, alice, Upload), 20; got != want {
		t.Errorf("of 1000: got %d pass, want %d", got, want)
	}
}

// TestFallback_waits_once is about a network that swallows what it is sent, which
// is worse than one that refuses it.
func TestFallback_waits_once(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connected, and never answered
	check(t, err)
	t.Cleanup(func() { check(t, silent.Close()) })
	clock := newClock()
	l := (&world{t: t, options: Options{RedisURL: "redis://" + silent.Addr().String(), Now: clock.Now}}).limiter()
	f := l.store.(*fallback)
	var asked tripCounter
	f.shared.client.AddHook(&asked)
	began := time.Now()
	take(t, l, 1, alice, Job)
	if got := time.Since(began); got < redisTimeout || got >= 5*time.Second { // which go-redis alone would take
		t.Errorf("the first request: got %v, want about %v", got, redisTimeout)
	}
	take(t, l, 50, alice, Job)
	if got, want := asked.trips.Load(), int64(1); got != want {
		t.Errorf("requests that asked Redis: got %d, want %d", got, want)
	}
	clock.advance(retryInterval)
	take(t, l, 50, alice, Job) // one of them has Redis tried, and waits no more than the others
	f.awaitProbe(t)
	if got, want := asked.trips.Load(), int64(2); got != want {
		t.Errorf("requests that asked Redis, with the try: got %d, want %d", got, want)
	}
}

func TestFallback_does_not_take_a_client_that_leaves_for_an_outage(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 20 {
		check(t, o.Take(gone, alice, Upload))
	}
	refused(t, o.Limiter, alice, Upload)
	o.logged("")
}

func TestFallback_counts_in_memory_after_Close(t *testing.T) {
	t.Parallel()
	w, _ := newMiniredis(t)
	log := &logs.Buffer{}
	w.options.Logger = slog.New(slog.NewTextHandler(log, nil))
	l, err := New(w.options)
	check(t, err)
	check(t, l.store.(*fallback).shared.client.Ping(t.Context()).Err())
	check(t, l.Close())
	if l.store.(*fallback).available() {
		t.Error("available after Close: got true, want false")
	}
	take(t, l, 20, alice, Upload)
	refused(t, l, alice, Upload)
	if got := levels(log); got != "" {
		t.Errorf("log: got %s, want nothing", got)
	}
}
