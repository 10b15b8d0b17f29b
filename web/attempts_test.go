package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := NewAttempts(2, time.Minute)
		take := func(key string, want time.Duration) {
			t.Helper()
			if got := a.Take(key); got != want {
				t.Errorf("Take(%s): got %v, want %v", key, got, want)
			}
		}
		take("a", 0)
		time.Sleep(time.Second)
		take("a", 0)
		take("a", 59*time.Second)
		take("b", 0)
		a.GiveBack("a")
		take("a", 0)
		take("a", 59*time.Second)
		a.Forget("a")
		take("a", 0)
		take("a", 0)
		time.Sleep(time.Minute)
		take("a", 0)
		a.GiveBack("unknown")
	})
}

func TestAttempts_without_limit(t *testing.T) {
	t.Parallel()
	for _, a := range []*Attempts{nil, {}} {
		for range 100 {
			if got := a.Take("a"); got != 0 {
				t.Fatalf("Take: got %v, want 0", got)
			}
		}
		a.GiveBack("a")
		a.Forget("a")
	}
}

func TestAttempts_counts_many_at_once(t *testing.T) {
	t.Parallel()
	a := NewAttempts(10, time.Hour)
	var all sync.WaitGroup
	var passed atomic.Int32
	for range 100 {
		all.Go(func() {
			if a.Take("a") == 0 {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if got, want := passed.Load(), int32(10); got != want {
		t.Errorf("passed: got %d, want %d", got, want)
	}
}

func TestAttempts_takes_bounded_memory(t *testing.T) {
	t.Parallel()
	a := NewAttempts(1, time.Hour)
	for i := range mostKeys + 10 {
		a.Take(fmt.Sprint(i))
	}
	if got := len(a.taken); got > mostKeys {
		t.Errorf("keys: got %d, want at most %d", got, mostKeys)
	}
}

// A stranger chooses how long a name is; what is kept of it is not.
func TestAttempts_keeps_nothing_of_long_names(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.site.limits.byIP = nil
	long := strings.Repeat("x", 50_000) + "@example.com"
	w.browser().post("/login", url.Values{"email": {long}, "password": {password}})
	if got, want := len(w.site.limits.byGuesser.taken), 1; got != want {
		t.Fatalf("names: got %d, want %d", got, want)
	}
	for name := range w.site.limits.byGuesser.taken {
		if kept := fmt.Sprintf("%s", name); len(kept) > 100 || strings.Contains(kept, "xxxx") {
			t.Errorf("kept: got %d bytes, want a hash of the name", len(kept))
		}
	}
}

func TestClientIP(t *testing.T) {
	t.Parallel()
	site := &Site{clientIP: connectionIP}
	for from, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1",
		"[2001:db8:1:2:3:4:5:6]:80": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64", "@": "@",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = from
		if got := site.ClientIP(r); got != want {
			t.Errorf("ClientIP of %s: got %s, want %s", from, got, want)
		}
	}
}
