package graph_test

import (
	"context"
	"fmt"
	"testing"

	"portico/model"
)

// create creates an entity without data.
func (w *world) create(space *model.Space, id string) {
	w.t.Helper()
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
	check(w.t, err)
}

// One read is for all subscribers: they receive the same rows.
func TestWatchSpace_sends_the_same_rows_to_all(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	var streams []<-chan model.SpaceEvent
	for i := range 20 {
		who := w.alice
		if i%2 == 0 {
			who = w.bob
		}
		events := w.watchSpace(t.Context(), who, space)
		expect(t, events, "snapshot")
		streams = append(streams, events)
	}
	equal(t, "subscriptions", w.OpenSubscriptions(), 20)
	w.create(space, "chair")
	first := expect(t, streams[0], "entity-created chair")
	for _, events := range streams[1:] {
		if got := expect(t, events, "entity-created chair"); got.entity != first.entity || got.space != first.space {
			t.Error("rows: got other ones than the first subscriber, want the same")
		}
	}
}

// A later subscriber starts with the state at that time. It gets none of the events before that,
// even if other subscribers have not received them yet.
func TestWatchSpace_starts_each_subscriber_from_now(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	expect(t, w.watchSpace(t.Context(), w.alice, space), "snapshot")
	for i := range 10 {
		id := fmt.Sprintf("e%d", i)
		w.create(space, id)
		_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: &id}})
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
