package presence

import (
	"fmt"
	"testing"
	"time"

	"portico/model"
)

// timeout is how long a test waits for a condition.
const timeout = time.Minute

func newRooms(t *testing.T) *Rooms {
	t.Helper()
	rooms, err := New(Options{Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

func join(t *testing.T, rooms *Rooms, subject string) *Stay {
	t.Helper()
	stay, refused := rooms.Join(t.Context(), Guest{SpaceID: "space", Subject: subject})
	if refused != "" {
		t.Fatalf("join: got %s, want a stay", refused)
	}
	stay.Joined()
	return stay
}

func refused(t *testing.T, rooms *Rooms, subject string, want model.PresenceEnd) {
	t.Helper()
	if _, got := rooms.Join(t.Context(), Guest{SpaceID: "space", Subject: subject}); got != want {
		t.Errorf("join of %s: got %q, want %q", subject, got, want)
	}
}

// next waits for the next batch of the stay.
func next(t *testing.T, s *Stay) *Batch {
	t.Helper()
	end := time.After(timeout)
	for {
		batch, ended, changed := s.Next()
		switch {
		case ended != "":
			t.Fatalf("stay: got its end %s, want a batch", ended)
		case batch != nil:
			return batch
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("got no batch within %v", timeout)
		}
	}
}

func moveTo(s *Stay, x float64) error {
	r := s.room.rooms
	return r.Move(model.MoveInSpace{
		SpaceID: s.room.id, VisitorID: s.member.ID, Ticket: r.ticket(s.room.id, s.member.ID),
		Pose: model.Pose{Position: []float64{x, 0, 0}},
	})
}

func TestRoom_is_full(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	var stays []*Stay
	for i := range model.MaxVisitors {
		stays = append(stays, join(t, rooms, fmt.Sprint("ip:", i)))
	}
	refused(t, rooms, "ip:another", model.PresenceFull)
	stays[7].Leave()
	stays[7].Leave()
	join(t, rooms, "ip:another")
	refused(t, rooms, "ip:a third", model.PresenceFull)
	if got, want := rooms.Visitors(), int64(model.MaxVisitors); got != want {
		t.Errorf("visitors: got %d, want %d", got, want)
	}
}

func TestRoom_is_not_filled_by_one_address(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	for range maxPerSubject {
		join(t, rooms, "ip:1")
	}
	refused(t, rooms, "ip:1", model.PresenceFull)
	join(t, rooms, "ip:2")
}

func TestRooms_are_forgotten_with_their_last_visitor(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	first, second := join(t, rooms, ""), join(t, rooms, "")
	first.Leave()
	if rooms.room("space") == nil {
		t.Fatal("room: got none, want the room of the second visitor")
	}
	second.Leave()
	if got := len(rooms.byID); got != 0 || rooms.Visitors() != 0 {
		t.Errorf("got %d rooms and %d visitors, want none", got, rooms.Visitors())
	}
	if err := moveTo(first, 1); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("move after the end: got %v, want not found", err)
	}
}

func TestMove_needs_the_ticket(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	mallory, victim := join(t, rooms, ""), join(t, rooms, "")
	own, theirs := rooms.ticket("space", mallory.member.ID), rooms.ticket("space", victim.member.ID)
	for _, test := range []struct{ name, space, ticket string }{
		{"of another visitor", "space", own},
		{"of another space", "other", theirs},
		{"without a letter", "space", theirs[1:]},
		{"none", "space", ""},
	} {
		err := rooms.Move(model.MoveInSpace{
			SpaceID: test.space, VisitorID: victim.member.ID, Ticket: test.ticket, Pose: model.Pose{Position: []float64{1, 2, 3}},
		})
		if model.CodeOf(err) != model.CodeForbidden {
			t.Errorf("ticket %s: got %v, want forbidden", test.name, err)
		}
	}
	if victim.member.Position != nil {
		t.Errorf("position: got %v, want none", victim.member.Position)
	}
}

func TestMove_is_limited(t *testing.T) {
	t.Parallel()
	start := time.Now()
	b := newMoveLimit(start)
	passed := 0
	for i := range 10_000 { // in one second
		if b.take(start.Add(time.Duration(i)*time.Second/10_000)) == 0 {
			passed++
		}
	}
	if want := maxMoveBurst + movesPerSecond - 1; passed < want || passed > want+1 {
		t.Errorf("of 10,000 moves in a second: got %d pass, want about %d", passed, want)
	}
	stay := join(t, newRooms(t), "")
	stay.member.moves = moveLimit{filled: time.Now().Add(time.Hour)}
	if err := moveTo(stay, 1); model.CodeOf(err) != model.CodeRateLimited || model.AsError(err).RetryAfter < time.Second {
		t.Errorf("move without tokens: got %v, want rate limited", err)
	}
}

// A removed visitor cannot join again, and nobody else with the same address can.
func TestRemove_bans_the_address(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	stay, other := join(t, rooms, "ip:1"), join(t, rooms, "ip:2")
	remove := func(s *Stay) error {
		return rooms.RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: s.member.ID})
	}
	if err := remove(stay); err != nil {
		t.Fatal(err)
	}
	if _, ended, _ := stay.Next(); ended != model.PresenceRemoved {
		t.Errorf("stay: got %q, want that it is removed", ended)
	}
	refused(t, rooms, "ip:1", model.PresenceRemoved)
	join(t, rooms, "ip:3")
	if _, got := rooms.Join(t.Context(), Guest{SpaceID: "other", Subject: "ip:1"}); got != "" {
		t.Errorf("another space: got %s, want a stay", got)
	}
	for !left(next(t, other).Changes, stay.member.ID) {
	}
	if err := remove(stay); err != nil {
		t.Errorf("a second removal: got %v, want no error", err)
	}
	owner, _ := rooms.Join(t.Context(), Guest{SpaceID: "space", Subject: "user:1", IsOwner: true})
	if err := remove(owner); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("the owner: got %v, want a refusal", err)
	}
}

// The owner removes a person, who may have the space open several times.
func TestRemove_ends_all_stays_of_the_address(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	stay, second, other := join(t, rooms, "ip:1"), join(t, rooms, "ip:1"), join(t, rooms, "ip:2")
	unknown, unknownToo := join(t, rooms, ""), join(t, rooms, "")
	owner, _ := rooms.Join(t.Context(), Guest{SpaceID: "space", Subject: "ip:1", IsOwner: true})
	for _, removed := range []*Stay{stay, unknown} {
		if err := rooms.RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: removed.member.ID}); err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		stay *Stay
		want model.PresenceEnd
	}{
		"the removed visitor": {stay, model.PresenceRemoved}, "a second stay": {second, model.PresenceRemoved},
		"a removed visitor without an address": {unknown, model.PresenceRemoved},
		"another visitor":                      {other, ""}, "another one without an address": {unknownToo, ""}, "the owner": {owner, ""},
	} {
		if _, got, _ := row.stay.Next(); got != row.want {
			t.Errorf("%s: got end %q, want %q", name, got, row.want)
		}
	}
}

func TestBans_expire_and_are_bounded(t *testing.T) {
	t.Parallel()
	var b bans
	start := time.Now()
	b.add("a", start.Add(time.Minute), start)
	if !b.has("a", start.Add(time.Second)) || b.has("a", start.Add(time.Minute)) || b.has("b", start) {
		t.Error("got the wrong bans, want a for a minute")
	}
	for i := range 2 * maxBans {
		b.add(fmt.Sprint(i), start.Add(time.Hour), start)
	}
	if len(b.until) > maxBans || len(b.order) > maxBans || !b.has(fmt.Sprint(2*maxBans-1), start) {
		t.Errorf("got %d bans, want up to %d and the newest", len(b.until), maxBans)
	}
	b.add("late", start.Add(3*time.Hour), start.Add(2*time.Hour))
	if len(b.until) != 1 {
		t.Errorf("after an hour: got %d names, want the one that is left", len(b.until))
	}
}
