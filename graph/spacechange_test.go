package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"portico/model"
)

// changedAt returns the space's field as a client reads it.
func (w *world) changedAt(space *model.Space) time.Time {
	w.t.Helper()
	var response struct{ Space struct{ ChangedAt time.Time } }
	check(w.t, json.Unmarshal([]byte(w.query(w.alice, `{ space(id: "`+space.ID+`") { changedAt } }`, nil)), &response))
	return response.Space.ChangedAt
}

// changedAt changes with each change of an entity, immediately in the process that makes it. The
// date of the space itself, which REST and MCP show, does not change.
func TestSpace_changedAt_moves_with_its_entities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, other := w.space(w.alice, model.SpaceHub), w.space(w.alice, model.SpaceInfinite)
	last := w.changedAt(space)
	equal(t, "at first", last, space.ChangedAt.Truncate(time.Millisecond))
	for _, step := range []struct {
		name   string
		change func() error
	}{
		{"create", func() error {
			_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
			return err
		}},
		{"update", func() error { _, err := w.merge(space, "chair", `{"n":1}`); return err }},
		{"update of a gate", func() error { _, err := w.merge(space, model.StaticGateIDs[0], `{"title":"Out"}`); return err }},
		{"delete", func() error { _, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "chair"); return err }},
	} {
		awaitLater(t, last)
		check(t, step.change())
		now := w.changedAt(space)
		if !now.After(last) {
			t.Errorf("changedAt after %s: got %v, want later than %v", step.name, now, last)
		}
		last = now
	}
	equal(t, "date of the space itself", w.mustSpace(space).ChangedAt, space.ChangedAt)
	equal(t, "changedAt of another space", w.changedAt(other), other.ChangedAt.Truncate(time.Millisecond))

	// Lists are sorted and filtered by what is stored, within a second.
	list := func(arguments string) string {
		return w.query(w.alice, `{ spaces(`+arguments+`) { nodes { spaceId } } }`, nil)
	}
	want := fmt.Sprintf(`{"spaces":{"nodes":[{"spaceId":"%s"},{"spaceId":"%s"}]}}`, space.ID, other.ID)
	eventually(t, "the order by change", func() bool { return list(`orderBy: {field: CHANGED_AT}`) == want })
	want = fmt.Sprintf(`{"spaces":{"nodes":[{"spaceId":"%s"}]}}`, space.ID)
	eventually(t, "the filter by change", func() bool {
		return list(`filter: {changedSince: "`+last.Format(time.RFC3339Nano)+`"}`) == want
	})
}

// awaitLater returns when the clock of the model, which has milliseconds, is later than the time.
func awaitLater(t *testing.T, earlier time.Time) {
	t.Helper()
	eventually(t, "the next millisecond", func() bool { return model.Now().After(earlier) })
}

// A change of an entity is not reported as a change of the space.
func TestSpaceBroadcaster_does_not_report_the_dates_of_entities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.open(w.alice, model.Public)
	events := w.watchSpace(t.Context(), w.bob, space)
	expect(t, events, "snapshot")
	w.create(space, "chair")
	expect(t, events, "entity-created chair")
	eventually(t, "the date is stored", func() bool { return w.mustSpace(space).TouchedAt.After(space.TouchedAt.Time) })
	w.create(space, "table")
	expect(t, events, "entity-created table")
}
