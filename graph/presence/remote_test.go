package presence

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"portico/model"
)

// processes returns the rooms of several processes that share a Redis.
func processes(t *testing.T, n int) ([]*Rooms, *miniredis.Miniredis) {
	t.Helper()
	server := miniredis.RunT(t)
	all := make([]*Rooms, n)
	for i := range all {
		rooms, err := New(Options{Interval: time.Millisecond, Secret: []byte("shared"), RedisURL: "redis://" + server.Addr()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rooms.Close() }) // the server may be gone by then
		all[i] = rooms
	}
	return all, server
}

// await reads batches until the visitor's room is as wanted.
func await(t *testing.T, what string, s *Stay, holds func(members map[string]*member) bool) {
	t.Helper()
	end := time.After(timeout)
	for {
		_, _, changed := s.Next()
		s.room.mu.Lock()
		held := holds(s.room.members)
		s.room.mu.Unlock()
		if held {
			return
		}
		select {
		case <-changed: // nil, which blocks, right after a batch
		case <-time.After(time.Millisecond):
		case <-end:
			t.Fatalf("%s: not within %v", what, timeout)
		}
	}
}

func has(id string) func(map[string]*member) bool {
	return func(members map[string]*member) bool { return members[id] != nil }
}

func hasNot(id string) func(map[string]*member) bool {
	return func(members map[string]*member) bool { return members[id] == nil }
}

func TestRooms_of_several_processes_have_the_same_visitors(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	here, there := join(t, all[0], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor there is seen", here, has(there.member.ID))
	await(t, "the visitor here is seen", there, has(here.member.ID))
	if err := moveTo(there, 7); err != nil {
		t.Fatal(err)
	}
	await(t, "the move is seen", here, func(members map[string]*member) bool {
		return slices.Equal(members[there.member.ID].Position, []float64{7, 0, 0})
	})
	// A move may reach another process than the visitor's.
	moved := model.MoveInSpace{
		SpaceID: "space", VisitorID: there.member.ID, Ticket: all[0].ticket("space", there.member.ID),
		Pose: model.Pose{Position: []float64{8, 0, 0}},
	}
	if err := all[0].Move(moved); err != nil {
		t.Fatal(err)
	}
	await(t, "the move from elsewhere is seen", here, func(members map[string]*member) bool {
		return slices.Equal(members[there.member.ID].Position, []float64{8, 0, 0})
	})
	there.Leave()
	await(t, "the visitor there has left", here, hasNot(there.member.ID))
}

func TestRemove_reaches_the_process_of_the_visitor(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 3)
	stay, watcher := join(t, all[0], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", watcher, has(stay.member.ID))
	if err := all[1].RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: stay.member.ID}); err != nil {
		t.Fatal(err)
	}
	await(t, "the visitor is removed", watcher, hasNot(stay.member.ID))
	if _, ended, _ := stay.Next(); ended != model.PresenceRemoved {
		t.Errorf("stay: got %q, want that it is removed", ended)
	}
	await(t, "a process that never had the visitor refuses to let it in", watcher, func(map[string]*member) bool {
		other, refusal := all[2].Join(t.Context(), Guest{SpaceID: "space", Subject: "ip:1"})
		if refusal == "" {
			other.Leave()
		}
		return refusal == model.PresenceRemoved
	})
}

// A person may have the space open on several processes.
func TestRemove_ends_the_stays_of_the_address_on_all_processes(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	stay, second, watcher := join(t, all[0], "ip:1"), join(t, all[1], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", watcher, has(stay.member.ID))
	if err := all[1].RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: stay.member.ID}); err != nil {
		t.Fatal(err)
	}
	await(t, "the visitor is removed", watcher, hasNot(stay.member.ID))
	await(t, "the second stay has ended", watcher, hasNot(second.member.ID))
	if _, ended, _ := second.Next(); ended != model.PresenceRemoved {
		t.Errorf("second stay: got %q, want that it is removed", ended)
	}
}

// fillQueue keeps the bus from sending until the test calls empty, with a queue that is full.
func fillQueue(t *testing.T, b *bus, s *Stay) (empty func()) {
	t.Helper()
	other := queued{spaceID: "another", message: &message{From: "nobody"}}
	b.mu.Lock() // setDown waits for it after each action, so that the bus takes at most one more
	await(t, "the queue is full", s, func(map[string]*member) bool {
		full := len(b.queue) >= maxQueued
		for range maxQueued {
			b.enqueue(other)
		}
		return full
	})
	return b.mu.Unlock
}

// awaitEmpty waits until the queue is empty. Any stay serves to wait.
func awaitEmpty(t *testing.T, b *bus, s *Stay) {
	t.Helper()
	await(t, "the queue is empty", s, func(map[string]*member) bool { return len(b.queue) == 0 })
}

func TestBus_opens_and_closes_channels_after_a_full_queue(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	there := join(t, all[1], "")
	subscribers := func(want int) {
		t.Helper()
		await(t, fmt.Sprint(want, " subscribers"), there, func(map[string]*member) bool {
			return server.PubSubNumSub(channelPrefix + "space")[channelPrefix+"space"] == want
		})
	}
	subscribers(1)
	empty := fillQueue(t, all[0].bus, there)
	here := join(t, all[0], "") // its action is dropped
	empty()
	awaitEmpty(t, all[0].bus, here)
	all[0].bus.enqueue(queued{action: repairChannels})
	await(t, "the visitor there is seen", here, has(there.member.ID))
	await(t, "the visitor here is seen", there, has(here.member.ID))
	subscribers(2)
	empty = fillQueue(t, all[0].bus, there)
	here.Leave() // its action is dropped
	empty()
	awaitEmpty(t, all[0].bus, there)
	all[0].bus.enqueue(queued{action: repairChannels})
	subscribers(1)
}

// Without these states, the other processes show the visitors until remoteTimeout.
func TestClose_sends_the_last_states(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	here, there := join(t, all[0], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", there, has(here.member.ID))
	b := all[0].bus
	b.mu.Lock() // setDown waits for it after each action, so that the bus takes at most one more
	b.enqueue(queued{spaceID: "another", message: &message{From: "nobody"}})
	here.Leave()
	b.sender.Cancel() // a step of Close, which then waits for the bus
	b.mu.Unlock()
	left := time.Now()
	if err := all[0].Close(); err != nil {
		t.Errorf("close: got %v, want success", err)
	}
	await(t, "the visitor has left", there, hasNot(here.member.ID))
	if got, limit := time.Since(left), remoteTimeout-stateInterval; got >= limit {
		t.Errorf("the visitor was seen for %v after the end, want less than %v", got, limit)
	}
}

// The process of the visitor may not hear the first Remove, because its channel is not open yet.
func TestRemove_is_repeated_until_the_visitor_has_left(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	stay, watcher := join(t, all[0], "ip:1"), join(t, all[1], "ip:2")
	await(t, "the visitor is seen", watcher, has(stay.member.ID))
	watcher.room.storeRemoval(stay.member.ID) // as if its message were lost
	all[0].exchangeStates("space")
	await(t, "the visitor is removed", watcher, hasNot(stay.member.ID))
	if _, ended, _ := stay.Next(); ended != model.PresenceRemoved {
		t.Errorf("stay: got %q, want that it is removed", ended)
	}
}

// Two processes that were cut off from each other may let in too many together: those who
// came last leave.
func TestRooms_of_several_processes_are_full_together(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	server.Close()
	var early, late []*Stay
	for i := range 30 {
		early = append(early, join(t, all[0], fmt.Sprint("ip:", i)))
	}
	for i := range 30 {
		late = append(late, join(t, all[1], fmt.Sprint("ip:", i)))
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	await(t, "20 of the late ones are left", late[0], func(members map[string]*member) bool {
		own := 0
		for _, m := range members {
			if m.stay != nil {
				own++
			}
		}
		return own == 20
	})
	await(t, "they are seen, and no others", early[0], func(members map[string]*member) bool {
		return len(members) == model.MaxVisitors
	})
	for i, stay := range late {
		_, ended, _ := stay.Next()
		if want := i >= 20; (ended == model.PresenceFull) != want {
			t.Errorf("late visitor %d: got end %q, want an end: %v", i, ended, want)
		}
	}
	for _, stay := range early {
		if _, ended, _ := stay.Next(); ended != "" {
			t.Errorf("early visitor: got %q, want none to leave", ended)
		}
	}
}

func TestRooms_go_on_without_Redis(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 1)
	first := join(t, all[0], "ip:1")
	server.Close()
	second := join(t, all[0], "ip:2")
	await(t, "the second visitor is seen", first, has(second.member.ID))
	awaitMove(t, all[0], second, 3, []*Stay{first})
	if err := all[0].RemoveVisitor(model.RemoveVisitor{SpaceID: "space", VisitorID: second.member.ID}); err != nil {
		t.Fatal(err)
	}
	refused(t, all[0], "ip:2", model.PresenceRemoved)
}

// The visitors of a process that ends without a word leave after a while.
func TestRoom_drops_the_visitors_of_a_silent_process(t *testing.T) {
	t.Parallel()
	stay := join(t, newRooms(t), "")
	room := stay.room
	room.apply(&message{From: "silent", Visitors: []remoteVisitor{{Visitor: model.Visitor{ID: "ghost"}}}})
	room.mu.Lock()
	room.dropSilent(time.Now().Add(remoteTimeout - time.Second))
	if room.members["ghost"] == nil {
		t.Error("visitor: got none, want the one that another server announced")
	}
	room.dropSilent(time.Now().Add(remoteTimeout + time.Second))
	gone := room.members["ghost"] == nil && room.members[stay.member.ID] != nil
	room.mu.Unlock()
	if !gone {
		t.Error("visitors: got the silent one, want the own one alone")
	}
}

func TestNew_hides_the_password_of_Redis(t *testing.T) {
	t.Parallel()
	_, err := New(Options{RedisURL: "redis://user:hunter2@host:port"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error: got %v, want one without the password", err)
	}
}

// The owner of a bus need not know whether it has started.
func TestClose_of_a_bus_without_start_returns(t *testing.T) {
	t.Parallel()
	b, err := newBus(&Rooms{}, "redis://127.0.0.1:1") // it connects on first use
	if err != nil {
		t.Fatal(err)
	}
	if err := b.close(); err != nil {
		t.Errorf("close: got %v, want nil", err)
	}
}
