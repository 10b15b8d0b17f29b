package presence

import (
	"slices"
	"testing"
	"time"

	"portico/model"
)

// All visitors with the same knowledge get the very same batch, which is encoded once.
func TestNext_shares_batches(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	mover := join(t, rooms, "")
	watchers := []*Stay{join(t, rooms, ""), join(t, rooms, ""), join(t, rooms, "")}
	// What comes with the joins differs: each sees those who join later.
	awaitMove(t, rooms, mover, 1, watchers)
	settle(t, watchers)
	if err := moveTo(mover, 2); err != nil {
		t.Fatal(err)
	}
	first := next(t, watchers[0])
	for _, watcher := range watchers[1:] {
		if got := next(t, watcher); got != first {
			t.Error("batches of two visitors: got two, want the same")
		}
	}
	encodings := 0
	for range 3 {
		first.Encoded(func() any { encodings++; return nil })
	}
	if encodings != 1 {
		t.Errorf("encodings: got %d, want 1", encodings)
	}
}

// settle reads until all visitors of a room have all changes, and none is pending: a new
// visitor is shown at the newest place, which a later batch reports again.
func settle(t *testing.T, visitors []*Stay) {
	t.Helper()
	room := visitors[0].room
	end := time.After(timeout)
	for {
		var changed <-chan struct{}
		for _, v := range visitors {
			for batch, ended, c := v.Next(); ; batch, ended, c = v.Next() {
				if ended != "" {
					t.Fatalf("stay: got its end %s, want changes", ended)
				}
				if changed = c; batch == nil {
					break
				}
			}
		}
		room.mu.Lock()
		pending := room.pending
		isBehind := slices.ContainsFunc(visitors, func(v *Stay) bool { return v.position != room.batch })
		room.mu.Unlock()
		switch {
		case isBehind:
			continue
		case !pending:
			return
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("changes are pending for %v", timeout)
		}
	}
}

// awaitMove moves a visitor and waits until all watchers have seen it.
func awaitMove(t *testing.T, rooms *Rooms, mover *Stay, x float64, watchers []*Stay) {
	t.Helper()
	if err := moveTo(mover, x); err != nil {
		t.Fatal(err)
	}
	for _, watcher := range watchers {
		for !shows(next(t, watcher).Changes, mover.member.ID, x) {
		}
	}
}

// shows reports whether a visitor is at x after the changes.
func shows(changes *model.PresenceChanged, id string, x float64) bool {
	for _, joined := range changes.Joined {
		if joined.ID == id && len(joined.Position) == 3 && joined.Position[0] == x {
			return true
		}
	}
	for _, moved := range changes.Moved {
		if moved.ID == id && moved.Position[0] == x {
			return true
		}
	}
	return false
}

// A visitor who does not read for a while gets one batch with the newest poses, and learns of
// nobody who came and went.
func TestNext_skips_states_for_a_slow_visitor(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	slow, fast, mover := join(t, rooms, ""), join(t, rooms, ""), join(t, rooms, "")
	awaitMove(t, rooms, mover, 1, []*Stay{slow, fast})
	for x := range 5 {
		awaitMove(t, rooms, mover, float64(x+2), []*Stay{fast})
	}
	passing := join(t, rooms, "")
	passing.Leave()
	mover.Leave()
	for !left(next(t, fast).Changes, mover.member.ID) {
	}
	changes := next(t, slow).Changes
	if !left(changes, mover.member.ID) || len(changes.Moved) != 0 || len(changes.Joined) != 0 {
		t.Errorf("changes: got %+v, want that the visitor left, and nothing else", changes)
	}
}

func left(changes *model.PresenceChanged, id string) bool {
	for _, gone := range changes.Left {
		if gone == id {
			return true
		}
	}
	return false
}

// The list of those who left is forgotten when everybody knows it.
func TestRoom_forgets_departures(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	stays := make([]*Stay, 3)
	for i := range stays {
		stays[i] = join(t, rooms, "")
	}
	for range 20 {
		passing := join(t, rooms, "")
		passing.Leave()
		for _, stay := range stays {
			for !left(next(t, stay).Changes, passing.member.ID) {
			}
		}
	}
	awaitMove(t, rooms, stays[0], 1, stays)
	room := stays[0].room
	room.mu.Lock()
	defer room.mu.Unlock()
	room.forgetDepartures()
	if len(room.departures) != 0 {
		t.Errorf("departures: got %d, want none", len(room.departures))
	}
}
