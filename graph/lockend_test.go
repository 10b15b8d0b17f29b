package graph_test

import (
	"testing"

	"portico/db"
	"portico/graph"
	"portico/graph/access"
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
func TestTryAsEditor_repeats_a_statement_whose_lock_has_ended(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, locked *model.LockedSpace){
		"by its time": func(w *world, locked *model.LockedSpace) {
			w.exec("UPDATE spaces SET locked_until = clock_timestamp() WHERE id = $1", locked.Space.ID)
		},
		"by its release": func(w *world, locked *model.LockedSpace) {
			in := model.UnlockSpace{SpaceID: locked.Space.ID, LockToken: &locked.LockToken}
			_, err := w.Mutation().UnlockSpace(w.alice.ctx, in)
			check(w.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			space := w.space(w.alice, model.SpaceInfinite)
			locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: space.ID, Name: "Blender"})
			check(t, err)
			var attempts int
			done, err := access.TryAsEditor(w.alice.ctx, w.Access(), space.ID, nil, func(string) (bool, error) {
				if attempts++; attempts == 1 {
					end(w, locked)
				}
				return attempts == 2, nil
			})
			check(t, err)
			equal(t, "done", done, true)
		})
	}
}

// The time of the transaction is its start, which is before the time of the release.
func TestUnlockSpace_lets_a_transaction_edit_that_began_before(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: space.ID, Name: "Blender"})
	check(t, err)
	check(t, w.db.InTx(w.alice.ctx, func(tx *db.DB) error {
		in := model.UnlockSpace{SpaceID: space.ID, LockToken: &locked.LockToken}
		_, err := w.Mutation().UnlockSpace(w.alice.ctx, in)
		check(t, err)
		_, err = graph.LockEditableSpace(w.alice.ctx, tx, space.ID)
		return err
	}))
}

// shiftClock sets the clock of the database ahead of the clock of the server: a function now in the
// schema hides the function of the system.
func (w *world) shiftClock(ahead string) {
	w.t.Helper()
	w.exec(`CREATE SCHEMA shifted; GRANT USAGE ON SCHEMA shifted TO PUBLIC;
		CREATE FUNCTION shifted.now() RETURNS timestamptz STABLE LANGUAGE sql AS
			$$ SELECT pg_catalog.now() + interval '` + ahead + `' $$;
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = shifted, pg_catalog, public', current_database()); END $$`)
	database, err := db.Open(w.t.Context(), db.Options{URL: w.url, Connections: 4, Logger: w.Logger()})
	check(w.t, err)
	w.t.Cleanup(func() { check(w.t, database.Close()) })
	w.useDB(database)
}

// A server whose clock is wrong must neither let an editor in nor say that an entity does not
// exist.
func TestLockSpace_lasts_by_the_clock_of_the_database(t *testing.T) {
	t.Parallel()
	for _, ahead := range []string{"1 hour", "-1 hour"} {
		t.Run(ahead, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			hub, file := w.space(w.alice, model.SpaceHub), w.file(w.alice, "a.glb")
			w.create(hub, "chair")
			w.shiftClock(ahead)
			locked, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: hub.ID, Name: "Blender"})
			check(t, err)
			editors := w.editors(hub, file)
			for name, edit := range editors {
				if err := edit(w.alice.ctx); model.CodeOf(err) != model.CodeLocked {
					t.Errorf("%s in a locked space: got %v, want it refused", name, err)
				}
			}
			renewed, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: hub.ID, Name: "Blender", LockToken: &locked.LockToken})
			check(t, err)
			equal(t, "token of the renewed lock", renewed.LockToken, locked.LockToken)
			w.checkLocked(hub, true)
			last := editors["replace all"]
			delete(editors, "replace all")
			const end = "UPDATE spaces SET locked_until = now(), lock_token = 'a token' WHERE id = $1"
			for name, edit := range editors {
				w.exec(end, hub.ID)
				if err := edit(w.alice.ctx); err != nil {
					t.Errorf("%s after the lock: got %v, want it done", name, err)
				}
			}
			check(t, last(w.alice.ctx))
			w.checkLocked(hub, false)
		})
	}
}

// checkLocked checks whether the space has a lock wherever its owner reads it.
func (w *world) checkLocked(space *model.Space, want bool) {
	w.t.Helper()
	read := map[string]*model.Space{}
	var err error
	read["lock"], err = w.Query().Space(w.alice.ctx, space.ID)
	check(w.t, err)
	read["visit"], err = w.db.Spaces().Visit(w.t.Context(), space.ID, "a viewer")
	check(w.t, err)
	list, err := w.Query().Spaces(w.alice.ctx, nil, nil, nil)
	check(w.t, err)
	read["list"] = list.Nodes[0]
	read["update"], err = w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall")}})
	check(w.t, err)
	byID, err := w.Access().ReadableSpaces(w.alice.ctx, []string{space.ID})
	check(w.t, err)
	read["by id"] = byID[space.ID]
	limited, err := w.db.Watched().LimitedSpaces(w.t.Context(), []string{space.ID}, 1)
	check(w.t, err)
	read["feed"] = limited[0]
	for name, got := range read {
		if (got.Lock() != nil) != want {
			w.t.Errorf("%s: got the lock %v until %v, want one: %v", name, got.Lock(), got.LockedUntil, want)
		}
	}
}
