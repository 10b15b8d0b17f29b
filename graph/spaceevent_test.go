package graph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portico/model"
)

func (w *world) watchSpace(ctx context.Context, who account, space *model.Space) <-chan model.SpaceEvent {
	w.t.Helper()
	events, err := w.Resolver.Subscription().Space(model.WithCaller(ctx, &model.Caller{UserID: who.id}), space.ID)
	check(w.t, err)
	return events
}

type eventParts struct {
	name     string
	space    *model.Space
	entity   *model.Entity
	entityID string
}

// parts returns the parts of an event, and checks that they are consistent.
func parts(t testing.TB, event model.SpaceEvent) eventParts {
	t.Helper()
	switch event := event.(type) {
	case *model.SpaceSnapshot:
		return eventParts{name: "snapshot", space: event.Space}
	case *model.SpaceChanged:
		return eventParts{name: "space-changed", space: event.Space}
	case *model.SpaceDeleted:
		return eventParts{name: "space-deleted"}
	case *model.AccessLost:
		return eventParts{name: "access-lost"}
	case *model.EntityCreated:
		equal(t, "space of the entity", event.Entity.SpaceID, event.Space.ID)
		return eventParts{"entity-created", event.Space, event.Entity, event.Entity.EntityID}
	case *model.EntityChanged:
		equal(t, "space of the entity", event.Entity.SpaceID, event.Space.ID)
		return eventParts{"entity-changed", event.Space, event.Entity, event.Entity.EntityID}
	case *model.RoomChanged:
		equal(t, "space of the room", event.Room.SpaceID, event.Space.ID)
		return eventParts{"room-changed", event.Space, event.Room, ""}
	case *model.EntityDeleted:
		return eventParts{name: "entity-deleted", space: event.Space, entityID: event.EntityID}
	}
	t.Fatalf("event: got %T, want a type of SpaceEvent", event)
	return eventParts{}
}

// describe returns an event as a line: its name and the id of its entity.
func describe(t testing.TB, event model.SpaceEvent) string {
	t.Helper()
	p := parts(t, event)
	return strings.TrimSpace(p.name + " " + p.entityID)
}

// expect receives exactly the events that the lines describe.
func expect(t *testing.T, events <-chan model.SpaceEvent, lines ...string) (last eventParts) {
	t.Helper()
	for _, want := range lines {
		event, open := receive(t, events)
		if !open {
			t.Fatalf("got the end, want %q", want)
		}
		equal(t, "event", describe(t, event), want)
		last = parts(t, event)
	}
	return last
}

func ended(t *testing.T, events <-chan model.SpaceEvent) {
	t.Helper()
	if event, open := receive(t, events); open {
		t.Errorf("got %s, want the end", describe(t, event))
	}
}

func TestWatchSpace_sends_each_change_to_all_its_readers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.LinkOnly)
	chair := func(in model.CreateEntity) {
		t.Helper()
		in.SpaceID, in.EntityID = space.ID, ptr("chair")
		_, err := w.put(in)
		check(t, err)
	}
	chair(model.CreateEntity{})
	watchers := []<-chan model.SpaceEvent{w.watchSpace(t.Context(), w.alice, space), w.watchSpace(t.Context(), w.bob, space)}
	for _, step := range []struct {
		change func() error
		want   string
	}{
		{func() error { return nil }, "snapshot"},
		{func() error { chair(model.CreateEntity{Data: model.Object(`{"a":1}`)}); return nil }, "entity-changed chair"},
		{func() error { _, err := w.merge(space, "chair", `{"a":2}`); return err }, "entity-changed chair"},
		{func() error { _, err := w.dynamicGate(space, "gate", placed); return err }, "entity-created gate"},
		{func() error { _, err := w.merge(space, "gate", `{"title":"Out"}`); return err }, "entity-changed gate"},
		{func() error {
			_, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall")}})
			return err
		}, "space-changed"},
		{func() error { return w.set(space, model.Public, true) }, "space-changed"},
		{func() error { _, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "gate"); return err }, "entity-deleted gate"},
		{func() error { _, err := w.dynamicGate(space, "gate", placed); return err }, "entity-created gate"},
	} {
		check(t, step.change())
		for _, events := range watchers {
			event := expect(t, events, step.want)
			equal(t, "space", event.space.ID, space.ID)
		}
	}
	t.Run("shows things as they are", func(t *testing.T) {
		_, err := w.merge(space, "chair", `{"n":12345678901234567890}`)
		check(t, err)
		for _, events := range watchers {
			event := expect(t, events, "entity-changed chair")
			checkData(t, event.entity.Data, `{"a":2,"n":12345678901234567890}`)
			equal(t, "title", event.space.Title, "Hall")
			equal(t, "privacy", event.space.Privacy, model.Public)
		}
	})
	t.Run("tells of RoomInfo apart from entities", func(t *testing.T) {
		_, err := w.merge(space, model.RoomInfoID, `{"floor":"wood"}`)
		check(t, err)
		for _, events := range watchers {
			checkData(t, expect(t, events, "room-changed").entity.Data, `{"floor":"wood"}`)
		}
	})
	t.Run("is silent about visits", func(t *testing.T) {
		_, err := w.Mutation().VisitSpace(w.bob.ctx, space.ID)
		check(t, err)
		_, err = w.merge(space, "chair", `{"b":1}`)
		check(t, err)
		for _, events := range watchers {
			equal(t, "visits", expect(t, events, "entity-changed chair").space.VisitCount, 1)
		}
	})
}

func TestWatchSpace_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.LinkOnly)
	alice, bob := w.watchSpace(t.Context(), w.alice, space), w.watchSpace(t.Context(), w.bob, space)
	expect(t, alice, "snapshot")
	expect(t, bob, "snapshot")
	t.Run("for others with the loss of their access", func(t *testing.T) {
		check(t, w.set(space, model.Private, false))
		expect(t, alice, "space-changed")
		expect(t, bob, "access-lost")
		ended(t, bob)
	})
	t.Run("with the space", func(t *testing.T) {
		_, err := w.Mutation().DeleteSpace(w.alice.ctx, space.ID)
		check(t, err)
		expect(t, alice, "space-deleted")
		ended(t, alice)
	})
}

// TestWatchSpace_survives checks that nothing is missed without announcements.
func TestWatchSpace_survives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	gates := model.StaticGateIDs
	events := w.watchSpace(t.Context(), w.alice, space)
	expect(t, events, "snapshot")
	t.Run("the loss of the connection for announcements", func(t *testing.T) {
		w.cutListener()
		_, err := w.merge(space, gates[0], `{"title":"A"}`)
		check(t, err)
		expect(t, events, "entity-changed "+gates[0])
	})
	t.Run("the loss of an announcement", func(t *testing.T) {
		// Another replica that was killed right after its commits.
		w.exec("UPDATE entities SET data = '{}' WHERE entity_id = $1", gates[1])
		w.exec("DELETE FROM entities WHERE entity_id = $1", gates[2])
		want := []string{"entity-deleted " + gates[2], "entity-changed " + gates[1]}
		var got []string
		for range want { // the pollInterval may come between the two
			event, _ := receive(t, events)
			got = append(got, describe(t, event))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("events: got %v, want %v", got, want)
		}
	})
}

// TestWatchSpace_ends_with_the_right_state changes a space concurrently while the reader keeps a
// copy. In the end the copy equals the space.
func TestWatchSpace_ends_with_the_right_state(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	done := make(chan []error, 1)
	go func() {
		done <- atOnce(8, func() error {
			for i := range 20 {
				id := fmt.Sprintf("e%d", i%5)
				if _, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id, Data: model.Object(fmt.Sprintf(`{"n":%d}`, i))}); err != nil {
					return err
				}
				_, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, id)
				if err != nil && model.CodeOf(err) != model.CodeNotFound {
					return err
				}
			}
			return nil
		})
	}()
	copied := map[string]string{}
	apply := func(event model.SpaceEvent) {
		p := parts(t, event)
		if p.entity == nil {
			delete(copied, p.entityID)
			return
		}
		copied[p.entityID] = string(p.entity.Data)
	}
	var errs []error
	for errs == nil {
		select {
		case errs = <-done:
		case event := <-events:
			apply(event)
		}
	}
	for _, err := range errs {
		check(t, err)
	}
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("last")})
	check(t, err)
	for copied["last"] == "" { // it comes last: it is the newest
		event, _ := receive(t, events)
		apply(event)
	}
	page, err := w.Query().OwnedEntities(w.alice.ctx, space.ID, nil, nil)
	check(t, err)
	want := map[string]string{}
	for _, entity := range page.Nodes {
		want[entity.EntityID] = string(entity.Data)
	}
	if fmt.Sprint(copied) != fmt.Sprint(want) {
		t.Errorf("copy: got %v, want %v", copied, want)
	}
}
