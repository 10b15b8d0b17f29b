package limit

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestRedis_is_exact_over_several_processes(t *testing.T) {
	t.Parallel()
	for _, s := range stores[1:] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.open(t)
			processes := []*Limiter{w.limiter(), w.limiter(), w.limiter()}
			if got, want := passing(t.Context(), 1000, processes, alice, Job), 120; got != want {
				t.Errorf("of 1000 over 3 processes: got %d pass, want %d", got, want)
			}
			for _, l := range processes {
				refused(t, l, alice, Job)
			}
		})
	}
}

// tripCounter counts what Redis is asked, apart from connecting.
type tripCounter struct {
	trips atomic.Int64
}

func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if strings.HasPrefix(cmd.Name(), "eval") {
			c.trips.Add(1)
		}
		return next(ctx, cmd)
	}
}

func TestRedis_takes_one_round_trip(t *testing.T) {
	t.Parallel()
	l := miniredisWorld(t).limiter()
	take(t, l, 1, alice, Upload) // connects and sends the script
	var c tripCounter
	l.store.(*fallback).shared.client.AddHook(&c)
	take(t, l, 10, alice, Upload, Job)
	if got, want := c.trips.Load(), int64(10); got != want {
		t.Errorf("round trips of 10 requests: got %d, want %d", got, want)
	}
}

func TestRedis_leaves_nothing_for_longer_than_a_window(t *testing.T) {
	t.Parallel()
	w, server := newMiniredis(t)
	l := w.limiter()
	take(t, l, 5, alice, Upload, Job)
	take(t, l, 5, "ip:2001:db8::/64", All)
	want := []string{
		"portico:limit:{ip:2001:db8::/64}:all", "portico:limit:{user:alice}:all",
		"portico:limit:{user:alice}:job", "portico:limit:{user:alice}:upload",
	}
	if got := server.Keys(); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("keys: got %q, want %q", got, want)
	}
	for _, key := range server.Keys() {
		if got := server.TTL(key); got <= 0 || got > window {
			t.Errorf("%s: got TTL %v, want %v or less", key, got, window)
		}
	}
	w.advance(window)
	if got := server.Keys(); len(got) > 0 {
		t.Errorf("keys after a window: got %q, want none", got)
	}
}

func TestRedis_mends_a_counter_that_does_not_expire(t *testing.T) {
	t.Parallel()
	w, server := newMiniredis(t)
	l := w.limiter()
	for _, count := range []string{"5", "20"} { // with room left, and without
		const key = "portico:limit:{user:alice}:upload"
		check(t, server.Set(key, count))
		_ = l.Take(t.Context(), alice, Upload) // passes or not
		if got, want := server.TTL(key), window; got != want {
			t.Errorf("%s at %s: got %v to live, want %v", key, count, got, want)
		}
	}
}

func TestRedis_goes_on_when_it_has_forgotten_the_script(t *testing.T) {
	t.Parallel()
	for _, s := range stores[1:] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			l := s.open(t).limiter()
			take(t, l, 10, alice, Upload)
			client := l.store.(*fallback).shared.client
			check(t, client.ScriptFlush(t.Context()).Err())
			take(t, l, 10, alice, Upload)
			refused(t, l, alice, Upload)
		})
	}
}

func TestNew_reads_the_URL_of_Redis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, address, tls string }{
		{"plain", "redis://user:secret@cache.example:6380/2", "cache.example:6380", ""},
		{"the usual port", "redis://cache.example", "cache.example:6379", ""},
		{"TLS", "rediss://:secret@cache.example", "cache.example:6379", "cache.example"},
		{"a socket", "unix:///run/redis.sock", "/run/redis.sock", ""},
		{"what is ours to say", "redis://h?max_retries=9&dial_timeout=9s&read_timeout=9s", "h:6379", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := (&world{t: t, options: Options{RedisURL: c.url}}).limiter()
			o := l.store.(*fallback).shared.client.Options()
			if o.Addr != c.address {
				t.Errorf("address: got %q, want %q", o.Addr, c.address)
			}
			if got := o.TLSConfig; (got != nil) != (c.tls != "") || got != nil && got.ServerName != c.tls {
				t.Errorf("TLS: got %+v, want for %q", got, c.tls)
			}
			if o.DialTimeout != redisTimeout || o.ReadTimeout != redisTimeout || o.MaxRetries > 0 || o.DialerRetries != 1 {
				t.Errorf("got timeouts %v, %v, retries %d, %d, want %v and none", o.DialTimeout, o.ReadTimeout, o.MaxRetries, o.DialerRetries, redisTimeout)
			}
		})
	}
}

func TestNew_refuses_a_wrong_URL_without_its_password(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"http://:secret@h", "h:6379", "redis://:secret@h:port", "redis://:secret@h/database", "redis://:secret@h/1/2",
		"redis://:secret@h?no_such_option=1", "redis://:secret%@h", "\x00",
	} {
		l, err := New(Options{RedisURL: url})
		if err == nil || l != nil {
			t.Errorf("%q: got %v, want an error", url, l)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %q, want it without the password", url, err)
		}
	}
}
