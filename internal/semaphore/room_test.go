package semaphore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func nothing() {}

func TestEnter_refuses_what_is_over_a_limit(t *testing.T) {
	t.Parallel()
	r := &Room{Share: 2, Size: 3}
	var held []*Place
	for _, row := range []struct {
		key  string
		want bool
	}{{"alice", true}, {"alice", true}, {"alice", false}, {"bob", true}, {"bob", false}, {"carol", false}} {
		place, ok := r.Enter(row.key, 1, nil)
		if ok != row.want {
			t.Errorf("%s beside %d others: got %v, want %v", row.key, len(held), ok, row.want)
		}
		if ok {
			held = append(held, place)
		}
	}
	if got := r.Taken(); got != 3 {
		t.Errorf("taken: got %d, want 3", got)
	}
	held[0].Leave()
	held[0].Leave()
	place, ok := r.Enter("carol", 1, nil)
	if !ok {
		t.Fatal("after somebody left: got none, want a place")
	}
	for _, place := range append(held[1:], place) {
		place.Leave()
	}
	if r.Taken() != 0 || len(r.keys) != 0 {
		t.Errorf("kept at the end: got %d of %d keys, want nothing", r.Taken(), len(r.keys))
	}
}

func TestEnter_is_exact_when_many_come_at_once(t *testing.T) {
	t.Parallel()
	r := &Room{Share: 10}
	var all sync.WaitGroup
	var entered atomic.Int32
	for range 100 {
		all.Go(func() {
			if _, ok := r.Enter("alice", 1, nil); ok {
				entered.Add(1)
			}
		})
	}
	all.Wait()
	if got := entered.Load(); got != 10 {
		t.Errorf("entered: got %d, want 10", got)
	}
}

// Whoever is slower than the floor gives way when others want the place, and only then.
func TestEnter_takes_the_place_of_the_slowest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Size: 2, Floor: 1000, Grace: 10 * time.Second}
		gave := ""
		slow, _ := r.Enter("slow", 1, func() { gave += "slow" })
		fast, _ := r.Enter("fast", 1, func() { gave += "fast" })
		for range 10 {
			time.Sleep(6 * time.Second)
			slow.Progress(1)
			fast.Progress(12_000)
			fast.Progress(1 << 40) // a burst buys no more than the grace
		}
		if gave != "" {
			t.Fatalf("while nobody wants the place: %s gave way", gave)
		}
		if _, ok := r.Enter("new", 1, nothing); !ok || gave != "slow" {
			t.Errorf("a full room: entered %v, %q gave way, want slow to", ok, gave)
		}
		if !slow.GaveWay() || slow.Grow(1) {
			t.Error("a place that gave way can still be used")
		}
		if _, ok := r.Enter("another", 1, nothing); ok {
			t.Errorf("a room of fast holders: %q gave way, want the caller refused", gave)
		}
		slow.Leave() // its place has a new holder
		if got := r.Taken(); got != 2 {
			t.Errorf("taken: got %d, want 2", got)
		}
		time.Sleep(11 * time.Second)
		if _, ok := r.Enter("another", 1, nothing); !ok {
			t.Error("a holder that stopped keeps its place")
		}
		fast.Leave()
	})
}

func TestEnter_of_a_fair_room_takes_from_who_has_most(t *testing.T) {
	t.Parallel()
	r := &Room{Size: 4, Share: 4, Fair: true}
	gave := map[string]int{}
	enter := func(key string) bool {
		_, ok := r.Enter(key, 1, func() { gave[key]++ })
		return ok
	}
	for range 4 {
		enter("alice")
	}
	for i, want := range []bool{true, true, false} {
		if got := enter("bob"); got != want {
			t.Errorf("bob's place %d: got %v, want %v", i+1, got, want)
		}
	}
	carol, first, second := enter("carol"), enter("alice"), enter("alice")
	if !carol || first && second {
		t.Error("want a place for who has none, and none for who would have more than others")
	}
	if gave["alice"]+gave["bob"] < 3 {
		t.Errorf("gave way: got %v, want 3 places or more", gave)
	}
}

func TestGrow_takes_from_the_key_that_has_most(t *testing.T) {
	t.Parallel()
	r := &Room{Size: 100, Share: 90}
	var gave []string
	enter := func(key string) *Place {
		place, _ := r.Enter(key, 0, func() { gave = append(gave, key) })
		return place
	}
	honest, attacker, another := enter("honest"), enter("attacker"), enter("attacker")
	if !honest.Grow(30) || !attacker.Grow(45) {
		t.Fatalf("gave way: %q, want none", gave)
	}
	another.Grow(40)
	honest.Grow(10)
	if honest.GaveWay() || len(gave) != 1 || gave[0] != "attacker" {
		t.Errorf("gave way: got %q, want one place of the attacker", gave)
	}
	big := enter("big")
	if big.Grow(91) {
		t.Error("a place over the share of its key stays")
	}
	held := false
	big.IfHeld(func() { held = true })
	if held {
		t.Error("a place that gave way counts as held")
	}
}

// The keys take turns: many callers of one do not delay the others, and a caller that stops waiting
// leaves nothing.
func TestWait_serves_the_key_that_has_least(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Size: 2, MaxWaiting: 3}
		var mu sync.Mutex
		var order []string
		wait := func(ctx context.Context, key string, until <-chan struct{}) {
			go func() {
				place, err := r.Wait(ctx, key, 1, nil)
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, key)
				mu.Unlock()
				<-until
				place.Leave()
			}()
			synctest.Wait()
		}
		first, rest := make(chan struct{}), make(chan struct{})
		wait(t.Context(), "alice", first)
		for range 4 {
			wait(t.Context(), "alice", rest)
		}
		if _, err := r.Wait(t.Context(), "alice", 1, nil); !errors.Is(err, ErrTooManyWaiting) {
			t.Errorf("one caller too many: got %v, want %v", err, ErrTooManyWaiting)
		}
		left, leave := context.WithCancel(t.Context())
		wait(left, "carol", rest)
		leave()
		wait(t.Context(), "bob", rest)
		close(first)
		synctest.Wait()
		if len(order) != 3 || order[2] != "bob" {
			t.Errorf("order: got %v, want bob as the third", order)
		}
		close(rest)
		synctest.Wait()
		if r.Taken() != 0 || len(r.keys) != 0 || len(r.waiting) != 0 {
			t.Errorf("kept at the end: got %d of %d keys, %d wait, want nothing", r.Taken(), len(r.keys), len(r.waiting))
		}
	})
}

// A key with many callers delays another key by one of them.
func TestWait_lets_keys_take_turns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Size: 1}
		first, _ := r.Enter("alice", 1, nil)
		var order []string
		for _, key := range []string{"alice", "alice", "bob", "carol", "bob"} {
			go func() {
				place, err := r.Wait(t.Context(), key, 1, nil)
				if err == nil {
					order = append(order, key)
					place.Leave()
				}
			}()
			synctest.Wait()
		}
		first.Leave()
		synctest.Wait()
		if got, want := strings.Join(order, " "), "bob carol alice bob alice"; got != want {
			t.Errorf("turns: got %s, want %s", got, want)
		}
	})
}

func TestWait_gets_the_place_of_a_holder_that_becomes_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Size: 1, Floor: 1, Grace: time.Minute}
		gave := make(chan struct{})
		if _, err := r.Wait(t.Context(), "slow", 1, func() { close(gave) }); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if _, err := r.Wait(t.Context(), "next", 1, nothing); err != nil {
			t.Fatal(err)
		}
		<-gave
		if waited := time.Since(started); waited < time.Minute || waited > time.Minute+2*retryInterval {
			t.Errorf("waited %v, want the grace of the slow holder", waited)
		}
	})
}

// A room with a share of one is a lock for each key.
func TestWait_gives_each_key_one_turn_at_a_time(t *testing.T) {
	t.Parallel()
	r := &Room{Share: 1}
	alice, err := r.Wait(t.Context(), "alice", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(t.Context(), "bob", 1, nil); err != nil {
		t.Fatalf("another key: got %v, want no wait", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Wait(ended, "alice", 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a second turn of the key: got %v, want it to wait", err)
	}
	alice.Leave()
	if _, err := r.Wait(t.Context(), "alice", 1, nil); err != nil {
		t.Errorf("after the first turn: got %v, want a turn", err)
	}
}
