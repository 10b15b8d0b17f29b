package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
