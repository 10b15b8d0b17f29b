package semaphore

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestAcquire_refuses_what_is_over_a_limit(t *testing.T) {
	t.Parallel()
	k := &Keyed{PerKey: 2, Total: 3}
	var held []func()
	for _, row := range []struct {
		key  string
		want bool
	}{{"alice", true}, {"alice", true}, {"alice", false}, {"bob", true}, {"bob", false}, {"carol", false}} {
		release, ok := k.Acquire(row.key)
		if ok != row.want {
			t.Errorf("%s beside %d others: got %v, want %v", row.key, len(held), ok, row.want)
		}
		if ok {
			held = append(held, release)
		}
	}
	if got, want := k.Held(), 3; got != want {
		t.Errorf("held: got %d, want %d", got, want)
	}
	held[0]()
	release, ok := k.Acquire("carol")
	if !ok {
		t.Fatal("after a release: got none, want a place")
	}
	for _, release := range append(held[1:], release) {
		release()
	}
	if k.Held() != 0 || len(k.keys) != 0 {
		t.Errorf("kept at the end: got %d places of %d keys, want none", k.Held(), len(k.keys))
	}
}

func TestAcquire_without_limits_set(t *testing.T) {
	t.Parallel()
	if _, ok := new(Keyed).Acquire("alice"); ok {
		t.Error("zero value: got a place, want none")
	}
	each := &Keyed{PerKey: 1}
	for _, key := range []string{"a", "b", "c"} {
		if _, ok := each.Acquire(key); !ok {
			t.Errorf("key %s without a total: got none, want a place", key)
		}
	}
}

func TestAcquire_is_exact_when_many_come_at_once(t *testing.T) {
	t.Parallel()
	k := &Keyed{PerKey: 10}
	var all sync.WaitGroup
	var held atomic.Int32
	for range 100 {
		all.Go(func() {
			if _, ok := k.Acquire("alice"); ok {
				held.Add(1)
			}
		})
	}
	all.Wait()
	if got, want := held.Load(), int32(10); got != want {
		t.Errorf("held: got %d, want %d", got, want)
	}
}
