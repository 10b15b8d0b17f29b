package counter

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAttempts_are_limited_per_key_and_can_be_refunded(t *testing.T) {
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
		a.Refund("a")
		take("a", 0)
		take("a", 59*time.Second)
		a.Forget("a")
		take("a", 0)
		take("a", 0)
		time.Sleep(time.Minute)
		take("a", 0)
		a.Refund("unknown")
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
		a.Refund("a")
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
	for i := range MaxWindows + 1 {
		a.Take(fmt.Sprint(i))
	}
	if got := a.Take("0"); got != 0 {
		t.Errorf("oldest key: got a wait of %v, want 0: the process forgets it", got)
	}
	if got := a.Take(fmt.Sprint(MaxWindows)); got == 0 {
		t.Error("newest key: got no wait, want one")
	}
}

// A stranger chooses how long a name is, and types a password there by mistake.
func TestAttempts_keeps_hashes_of_keys(t *testing.T) {
	t.Parallel()
	a := NewAttempts(2, time.Hour)
	a.Take(strings.Repeat("x", 50_000) + "@example.com")
	if got := a.Take("another key"); got != 0 {
		t.Fatalf("another key: got a wait of %v, want 0", got)
	}
	if kept := fmt.Sprintf("%v", &a.open); len(kept) > 1000 || strings.Contains(kept, "xxxx") {
		t.Errorf("kept: got %d bytes, want hashes of the keys", len(kept))
	}
}
