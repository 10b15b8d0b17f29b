package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// hub returns the hub of a space that is followed, or nil.
func (w *world) hub(space *model.Space) *spaceHub {
	w.hubs.mu.Lock()
	defer w.hubs.mu.Unlock()
	return w.hubs.byID[space.ID]
}

// create creates an entity without data.
func (w *world) create(space *model.Space, id string) {
	w.t.Helper()
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
	check(w.t, err)
}

// One read serves all followers: they receive the very same rows.
func TestSpaceHub_reads_once_for_all_followers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	var followers []<-chan model.SpaceEvent
	for i := range 20 {
		who := w.alice
		if i%2 == 0 {
			who = w.bob
		}
		events := w.watchSpace(t.Context(), who, space)
		expect(t, events, "snapshot")
		followers = append(followers, events)
	}
	equal(t, "subscriptions", w.Subscriptions(), 20)
	w.create(space, "chair")
	first := expect(t, followers[0], "entity-created chair")
	for _, events := range followers[1:] {
		if got := expect(t, events, "entity-created chair"); got.entity != first.entity || got.space != first.space {
			t.Error("rows: got other ones than the first follower, want the same")
		}
	}
}

func TestSpaceHub_stops_with_its_last_follower(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	first, leaveFirst := context.WithCancel(t.Context())
	second, leaveSecond := context.WithCancel(t.Context())
	expect(t, w.watchSpace(first, w.alice, space), "snapshot")
	events := w.watchSpace(second, w.bob, space)
	expect(t, events, "snapshot")
	leaveFirst()
	w.create(space, "chair")
	expect(t, events, "entity-created chair")
	leaveSecond()
	eventually(t, "the hub stops", func() bool { return w.hub(space) == nil && w.Subscriptions() == 0 })
	// The next follower starts a new one.
	expect(t, w.watchSpace(t.Context(), w.bob, space), "snapshot")
}

// A follower that comes later starts from the state at that time: what the others were
// sent, or are about to be sent, is no change for it.
func TestSpaceHub_starts_each_follower_from_now(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	expect(t, w.watchSpace(t.Context(), w.alice, space), "snapshot")
	for i := range 10 {
		id := fmt.Sprintf("e%d", i)
		w.create(space, id)
		_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, Title: &id})
		check(t, err)
		ctx, leave := context.WithCancel(t.Context())
		events := w.watchSpace(ctx, w.bob, space)
		equal(t, "title", expect(t, events, "snapshot").space.Title, id)
		_, err = w.merge(space, id, `{"n":1}`)
		check(t, err)
		expect(t, events, "entity-changed "+id)
		leave()
	}
}

// The log keeps few states for a follower that is behind. It gets the others from the
// database, in the same order.
func TestSpaceHub_reads_again_what_its_log_dropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.open(w.alice, model.Public)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	data := func(i int) string { return fmt.Sprintf(`{"n":%d,"text":"%s"}`, i, strings.Repeat("x", 900_000)) }
	var want []string
	for i := range 10 {
		id := fmt.Sprintf("e%d", i)
		want = append(want, "entity-created "+id)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Data: model.Object(data(i))})
		check(t, err)
	}
	hub := w.hub(space)
	logged := func() (entities, bytes int) {
		hub.mu.Lock()
		defer hub.mu.Unlock()
		return len(hub.log.entries), hub.log.bytes
	}
	eventually(t, "the hub has read all", func() bool { entities, _ := logged(); return entities == len(want) })
	if _, bytes := logged(); bytes > maxLogBytes {
		t.Errorf("log: got %d bytes, want up to %d", bytes, maxLogBytes)
	}
	for i, line := range want {
		event := expect(t, events, line)
		var got struct{ N int }
		check(t, json.Unmarshal(event.entity.Data, &got))
		equal(t, "n", got.N, i)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}
