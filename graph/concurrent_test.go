package graph_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"portico/model"
)

// TestConcurrent_merges_lose_nothing sends 50 requests at the same time, each of which merges another
// field into the same entity.
func TestConcurrent_merges_lose_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	_, err = w.dynamicGate(space, "gate", placed)
	check(t, err)
	// A gate is checked in a transaction, and within dynamicGate it is by field.
	for id, data := range map[string]string{
		"chair": `{"f%d":%[1]d}`, model.StaticGateIDs[0]: `{"f%d":%[1]d}`, "gate": `{"dynamicGate":{"f%d":%[1]d}}`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			const requests = 50
			var number atomic.Int64
			for _, err := range atOnce(requests, func() error {
				_, err := w.merge(space, id, fmt.Sprintf(data, number.Add(1)))
				return err
			}) {
				check(t, err)
			}
			fields := w.entity(space, id).Data.Fields()
			if id == "gate" {
				fields = model.Object(fields["dynamicGate"]).Fields()
			}
			for n := range requests {
				name := fmt.Sprintf("f%d", n+1)
				equal(t, name, string(fields[name]), fmt.Sprint(n+1))
			}
		})
	}
}

// TestPages_while_entities_come_and_go reads a list page by page while other requests add and
// delete entities. An entity that exists all the time is read once, in order.
func TestPages_while_entities_come_and_go(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	space := w.space(w.alice, model.SpaceInfinite)
	add := func(id string) error {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
		return err
	}
	var stays []string
	for i := range 20 {
		stays = append(stays, fmt.Sprintf("stays-%02d", i))
		check(t, add(stays[i]))
		check(t, add(fmt.Sprintf("goes-%02d", i)))
	}
	var worker atomic.Int64
	done := make(chan []error, 1)
	go func() {
		done <- atOnce(4, func() error {
			n := worker.Add(1) - 1
			for i := n; i < 20; i += 4 {
				if err := add(fmt.Sprintf("comes-%02d", i)); err != nil {
					return err
				}
				if _, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, fmt.Sprintf("goes-%02d", i)); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	var seen []string
	after, rounds := "", 0
	for more := true; more; rounds++ {
		page, err := w.Query().OwnedEntities(w.alice.ctx, space.ID, ptr(3), &after)
		check(t, err)
		for _, entity := range page.Nodes {
			seen = append(seen, entity.EntityID)
		}
		if more = page.PageInfo.HasNextPage; more {
			after = *page.PageInfo.EndCursor
		}
	}
	for _, err := range receiveOnce(t, done) {
		check(t, err)
	}
	if twice := len(seen) - len(slices.Compact(slices.Sorted(slices.Values(seen)))); twice != 0 {
		t.Errorf("seen: got %d entities twice of %v, want none", twice, seen)
	}
	seen = slices.DeleteFunc(seen, func(id string) bool { return !slices.Contains(stays, id) })
	if !slices.Equal(seen, stays) {
		t.Errorf("what stays: got %v in %d pages, want %v", seen, rounds, stays)
	}
}
