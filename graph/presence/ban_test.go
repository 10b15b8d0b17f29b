package presence

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"portico/model"
)

// The first bans in the order are dropped: those that have ended, and the oldest of too many.
func TestBans_order_a_repeated_ban_by_its_last_time(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var b bans
	b.add("again", now.Add(banDuration), now)
	b.add("once", now.Add(banDuration), now)
	b.add("again", now.Add(banDuration+time.Minute), now.Add(time.Minute))
	later := now.Add(banDuration)
	b.add("new", later.Add(banDuration), later)
	if _, known := b.until["once"]; known || len(b.order) != len(b.until) {
		t.Errorf("bans after the end of one: got %v, want it dropped", b.order)
	}
	if !b.has("again", later) {
		t.Error("a ban that was repeated: got ended, want it to last an hour from the second time")
	}

	b = bans{}
	for i := range maxBans {
		b.add(strconv.Itoa(i), now.Add(banDuration), now)
	}
	b.add("0", now.Add(banDuration), now)
	b.add("one more", now.Add(banDuration), now)
	if !b.has("0", now) || b.has("1", now) {
		t.Errorf("over the maximum: got bans of 0 and 1 %v and %v, want the ban of 1 dropped", b.has("0", now), b.has("1", now))
	}
}

// A guest passes the first check of Join, and is banned before entering the room.
func TestRoom_refuses_a_guest_who_was_banned_while_joining(t *testing.T) {
	t.Parallel()
	rooms := newRooms(t)
	stay := join(t, rooms, "ip:1")
	guest, key := Guest{SpaceID: "space", Subject: "ip:1"}, rooms.banKey("space", "ip:1")
	if _, removed, err := stay.room.remove(stay.member.ID); err != nil || !removed {
		t.Fatalf("removal: got %t and %v, want it done", removed, err)
	}
	if _, got := stay.room.join(guest, key); got != model.PresenceRemoved {
		t.Errorf("banned guest: got %q, want %q", got, model.PresenceRemoved)
	}
	guest.IsOwner = true
	if _, got := stay.room.join(guest, key); got != "" {
		t.Errorf("owner at the same address: got %q, want a stay", got)
	}
}

// The SET of the ban may time out while the message of the ban arrives.
func TestRemove_bans_the_address_at_the_processes_that_heard_of_it(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	stay, second, watcher := join(t, all[0], "ip:1"), join(t, all[1], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", watcher, has(stay.member.ID))
	if err := all[0].RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: stay.member.ID}); err != nil {
		t.Fatal(err)
	}
	await(t, "the second stay has ended", watcher, hasNot(second.member.ID))
	if key := banPrefix + all[0].banKey("space", "ip:1"); !server.Del(key) {
		t.Fatalf("ban in Redis: got none, want %s", key)
	}
	refused(t, all[1], "ip:1", model.PresenceRemoved)
}

// A removal bans a visitor. While Redis does not store the ban, other messages arrive.
func TestBus_receives_while_Redis_does_not_answer(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	removed, here, there := join(t, all[0], "ip:1"), join(t, all[0], "ip:2"), join(t, all[1], "ip:3")
	await(t, "the visitors are seen", there, has(removed.member.ID))
	await(t, "the visitor there is seen", here, has(there.member.ID))
	empty := sync.OnceFunc(fillQueue(t, all[0].bus, here)) // as if Redis did not answer
	defer empty()                                          // otherwise a failed test never ends
	if err := all[1].RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: removed.member.ID}); err != nil {
		t.Fatal(err)
	}
	await(t, "the visitor is removed", here, hasNot(removed.member.ID))
	if err := moveTo(there, 7); err != nil {
		t.Fatal(err)
	}
	await(t, "the move is seen", here, func(members map[string]*member) bool {
		return slices.Equal(members[there.member.ID].Position, []float64{7, 0, 0})
	})
	empty()
	// The full queue has dropped other actions, but not the ban.
	await(t, "the ban is stored", here, func(map[string]*member) bool {
		return server.Exists(banPrefix + all[0].banKey("space", "ip:1"))
	})
}
