package limit

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"portico/model"
)

// longRedisTimeout is longer than a busy machine needs.
const longRedisTimeout = time.Minute

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clock is a clock that stands still.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a store, and as many processes as a test wants that count in it.
type world struct {
	t       testing.TB
	options Options
	// advance lets time pass for the windows.
	advance func(time.Duration)
}

// limiter returns the limiter of one more process.
func (w *world) limiter() *Limiter {
	w.t.Helper()
	l, err := New(w.options)
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, l.Close()) })
	return l
}

// stores are the worlds that the suite runs in. Each call makes a new one.
var stores = []struct {
	name string
	open func(testing.TB) *world
}{
	{"memory", memoryWorld},
	{"miniredis", miniredisWorld},
	{"redis", redisWorld},
}

func memoryWorld(t testing.TB) *world {
	clock := newClock()
	return &world{t: t, options: Options{Now: clock.Now}, advance: clock.advance}
}

func miniredisWorld(t testing.TB) *world {
	w, _ := newMiniredis(t)
	return w
}

func newMiniredis(t testing.TB) (*world, *miniredis.Miniredis) {
	t.Helper()
	server := miniredis.NewMiniRedis()
	check(t, server.Start())
	t.Cleanup(server.Close)
	options := Options{RedisURL: "redis://" + server.Addr(), redisTimeout: longRedisTimeout}
	return &world{t: t, options: options, advance: server.FastForward}, server
}

// redisWorld starts a Redis on a socket in a folder of its own, where there is one
// to start.
func redisWorld(t testing.TB) *world {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("no redis-server in PATH")
	}
	dir, err := os.MkdirTemp("", "redis") // short: a socket's path may have 107 bytes
	check(t, err)
	socket := filepath.Join(dir, "s")
	server := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	check(t, server.Start())
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: socket})
	t.Cleanup(func() {
		check(t, errors.Join(client.Close(), server.Process.Kill()))
		_ = server.Wait() // returns that it was killed
		check(t, os.RemoveAll(dir))
	})
	for client.Ping(t.Context()).Err() != nil { // each try takes a while by itself
		if server.ProcessState != nil || t.Context().Err() != nil {
			t.Fatal("redis-server does not answer")
		}
	}
	return &world{
		t: t, options: Options{RedisURL: "unix://" + socket, redisTimeout: longRedisTimeout},
		advance: func(d time.Duration) { shorten(t, client, d) },
	}
}

// shorten shortens the time to live of all keys.
func shorten(t testing.TB, client *redis.Client, d time.Duration) {
	t.Helper()
	keys, err := client.Keys(t.Context(), "*").Result()
	check(t, err)
	for _, key := range keys {
		left, err := client.PTTL(t.Context(), key).Result()
		check(t, err)
		check(t, client.PExpire(t.Context(), key, left-d).Err())
	}
}

// inEachStore runs the test with every store.
func inEachStore(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	for _, s := range stores {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, s.open(t))
		})
	}
}

// take asserts that n requests pass.
func take(t testing.TB, l *Limiter, n int, subject Subject, scopes ...Scope) {
	t.Helper()
	for i := range n {
		if err := l.Take(t.Context(), subject, scopes...); err != nil {
			t.Fatalf("request %d of %s in %v: got %v, want it to pass", i+1, subject, scopes, err)
		}
	}
}

// refused asserts that a request is refused, and returns for how long.
func refused(t testing.TB, l *Limiter, subject Subject, scopes ...Scope) time.Duration {
	t.Helper()
	err := l.Take(t.Context(), subject, scopes...)
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Code != model.CodeRateLimited {
		t.Fatalf("request of %s in %v: got %v, want it refused", subject, scopes, err)
	}
	return e.RetryAfter
}

// passing returns how many of n requests at the same time pass, spread over the
// limiters.
func passing(ctx context.Context, n int, limiters []*Limiter, subject Subject, scope Scope) int {
	var all sync.WaitGroup
	results := make([]error, n)
	for i := range n {
		all.Go(func() { results[i] = limiters[i%len(limiters)].Take(ctx, subject, scope) })
	}
	all.Wait()
	passed := 0
	for _, err := range results {
		if err == nil {
			passed++
		}
	}
	return passed
}
