package presence

import (
	"strconv"
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

// The SET of the ban may time out while the message of the ban arrives.
func TestRemove_bans_the_address_at_the_processes_that_heard_of_it(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	stay, second, watcher := join(t, all[0], "ip:1"), join(t, all[1], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", watcher, has(stay.member.ID))
	if err := all[0].Remove(t.Context(), model.RemoveVisitor{SpaceID: "space", VisitorID: stay.member.ID}); err != nil {
		t.Fatal(err)
	}
	if key := banPrefix + all[0].banKey("space", "ip:1"); !server.Del(key) {
		t.Fatalf("ban in Redis: got none, want %s", key)
	}
	await(t, "the second stay has ended", watcher, hasNot(second.member.ID))
	refused(t, all[1], "ip:1", model.PresenceRemoved)
}
