package counter

import (
	"testing"
	"time"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// add counts once for each of n keys, as callers do.
func add(w *Windows[int], n int, now time.Time) {
	for key := range n {
		w.DropExpired(now)
		w.Add(key, 1, now)
	}
}

func TestWindows_are_bounded(t *testing.T) {
	t.Parallel()
	w := NewWindows[int](time.Minute)
	add(&w, MaxWindows+1000, start)
	if got, want := len(w.byKey), MaxWindows; got != want || w.listed != want {
		t.Errorf("windows: got %d, %d in the list, want %d", got, w.listed, want)
	}
	for key, want := range map[int]int{0: 0, 999: 0, 1000: 1} {
		if got := w.Count(key, start); got != want {
			t.Errorf("key %d: got %d, want %d: the oldest are dropped", key, got, want)
		}
	}
}

// Forgotten windows stay in the list, which is bounded too.
func TestWindows_are_bounded_when_keys_are_forgotten(t *testing.T) {
	t.Parallel()
	w := NewWindows[int](time.Minute)
	for range MaxWindows + 10 {
		w.DropExpired(start)
		w.Add(1, 1, start)
		w.Forget(1)
	}
	if got, want := w.listed, MaxWindows; got != want || len(w.byKey) != 0 {
		t.Errorf("windows: got %d in the list, %d open, want %d and 0", got, len(w.byKey), want)
	}
}

func TestWindows_that_have_ended_are_dropped(t *testing.T) {
	t.Parallel()
	w := NewWindows[int](time.Minute)
	add(&w, 1000, start)
	later := start.Add(time.Minute)
	for range 1000/maxDrops + 1 {
		w.DropExpired(later)
		w.Add(1000, 1, later)
	}
	if got, want := len(w.byKey), 1; got != want || w.listed != want {
		t.Errorf("windows: got %d, %d in the list, want %d", got, w.listed, want)
	}
}

func TestWindows_open_again_before_the_old_one_is_dropped(t *testing.T) {
	t.Parallel()
	w := NewWindows[int](time.Minute)
	add(&w, 10*maxDrops, start) // ahead of it in the list
	w.Add(-1, 300, start)
	later := start.Add(time.Minute)
	for range 150 { // drops the old one on the way
		w.DropExpired(later)
		w.Add(-1, 1, later)
	}
	if got, want := w.listed, 1; got != want {
		t.Errorf("windows: got %d, want %d", got, want)
	}
	if got, want := w.Count(-1, later), 150; got != want {
		t.Errorf("count: got %d, want %d", got, want)
	}
}

func TestWindows_count_each_key_until_the_window_ends(t *testing.T) {
	t.Parallel()
	w := NewWindows[string](time.Minute)
	w.Add("a", 2, start)
	end := start.Add(time.Minute)
	for _, row := range []struct {
		name         string
		key          string
		count, limit int
		now          time.Time
		want         time.Duration
	}{
		{"fits", "a", 1, 3, start, 0},
		{"over the limit", "a", 2, 3, start, time.Minute},
		{"later", "a", 2, 3, end.Add(-time.Second), time.Second},
		{"at the end", "a", 2, 3, end, 0},
		{"another key", "b", 3, 3, start, 0},
	} {
		if got := w.Wait(row.key, row.count, row.limit, row.now); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
	for range 3 { // once more than was counted
		w.Remove("a")
	}
	w.Remove("unknown")
	w.Add("a", 1, start)
	if got, want := w.Count("a", start), 1; got != want {
		t.Errorf("count: got %d, want %d", got, want)
	}
}
