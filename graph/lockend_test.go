package graph

import (
	"testing"

	"portico/model"
)

// A change set, a gate and a plain entity all follow one rule: a lock ends at its time, for each of
// them.
func TestLockSpace_refuses_nothing_after_its_end(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub := w.space(w.alice, model.SpaceHub)
	w.create(hub, "chair")
	editors := w.editors(hub, w.file(w.alice, "a.glb"))
	last := editors["replace all"]
	delete(editors, "replace all")
	for name, edit := range editors {
		w.exec("UPDATE spaces SET locked_until = now(), lock_token = 'a token' WHERE id = $1", hub.ID)
		if err := edit(w.alice.ctx); err != nil {
			t.Errorf("%s: got %v, want it done", name, err)
		}
	}
	w.exec("UPDATE spaces SET locked_until = now() WHERE id = $1", hub.ID)
	check(t, last(w.alice.ctx))
}

// The lock refuses the statement, and ends before the space is read to explain the refusal.
func TestAsEditor_repeats_a_statement_whose_lock_has_ended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.exec("UPDATE spaces SET locked_until = now() + interval '1 hour', lock_token = 'a token' WHERE id = $1", space.ID)
	var tries int
	found, err := w.asEditor(w.alice.ctx, space.ID, nil, func(string) (bool, error) {
		if tries++; tries == 1 {
			w.exec("UPDATE spaces SET locked_until = clock_timestamp() WHERE id = $1", space.ID)
		}
		return tries == 2, nil
	})
	check(t, err)
	equal(t, "found", found, true)
}
