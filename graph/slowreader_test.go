package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"portico/model"
)

// TestWatchSpace_slowly checks that a slow reader gets the newest state of each object once, even
// when there is more than one read can return.
func TestWatchSpace_slowly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.open(w.alice, model.Public)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("gone")})
	check(t, err)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	const count = 250 // one read returns up to 100
	var want []string
	for i := range count {
		id := fmt.Sprintf("e%03d", i)
		want = append(want, "entity-created "+id)
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
		check(t, err)
	}
	for i := range 20 {
		_, err := w.merge(space, "e100", fmt.Sprintf(`{"n":%d}`, i))
		check(t, err)
		_, err = w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr(fmt.Sprint(i))}})
		check(t, err)
	}
	_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "gone")
	check(t, err)
	// The slow reader continues after a fast one has received a later change, because the process has
	// then read all earlier ones.
	fast := w.watchSpace(t.Context(), w.bob, space)
	expect(t, fast, "snapshot")
	_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("last")})
	check(t, err)
	want = append(want, "entity-created last")
	for line := ""; line != "entity-created last"; {
		event, _ := receive(t, fast)
		line = describe(t, event)
	}
	seen := map[string]int{}
	var created []string
	for len(created) < len(want) || seen["space-changed"] == 0 || seen["entity-deleted gone"] == 0 {
		event, _ := receive(t, events)
		line := describe(t, event)
		seen[line]++
		if _, ok := event.(*model.EntityCreated); ok {
			created = append(created, line)
		}
	}
	if !slices.Equal(created, want) {
		t.Errorf("created: got %v, want %v, in the order of their creation", created, want)
	}
	for line, count := range seen {
		// The event that was offered when the reader came may be sent in two states.
		if count > 2 {
			t.Errorf("%s: got it %d times, want it once", line, count)
		}
	}
}
