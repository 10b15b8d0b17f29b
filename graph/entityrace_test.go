package graph_test

import (
	"context"
	"database/sql"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// A creation finds its id taken, and another client deletes the entity before the creation reads
// it.
//
// Two transactions force this order. The creation waits for the first one, which inserts the
// entity. The second one waits for both to release the table, and is then before the next statement
// of the creation. Neither runs triggers, which would lock the row of the space.
func TestCreateEntity_creates_an_entity_that_was_just_deleted(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]model.CreateEntity{
		"an entity that must be new": {MustBeNew: true},
		"a gate":                     {Type: ptr(model.TypeDynamicGate), Data: placed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in.SpaceID, in.EntityID = w.space(w.alice, model.SpaceInfinite).ID, ptr("e")
			inserts, deletes := w.beginWithoutTriggers(), w.beginWithoutTriggers()
			_, err := inserts.ExecContext(t.Context(), "INSERT INTO entities (space_id, entity_id, type, bytes) VALUES ($1, 'e', 'Simple', 2)", in.SpaceID)
			check(t, err)
			var created *model.CreatedEntity
			results := make(chan error, 2)
			go func() {
				var err error
				created, err = w.Mutation().CreateEntity(w.alice.ctx, in)
				results <- err
			}()
			w.untilWaiting(1)
			go func() {
				_, err := deletes.ExecContext(context.WithoutCancel(t.Context()), "LOCK TABLE entities; DELETE FROM entities; COMMIT")
				results <- err
			}()
			w.untilWaiting(2)
			check(t, inserts.Commit())
			check(t, <-results)
			check(t, <-results)
			if created == nil || !created.Created {
				t.Errorf("got %+v, want a new entity", created)
			}
		})
	}
}

// A creation without a type finds that its id belongs to a gate, and another client deletes the
// gate before the creation updates it. The update waits for the transaction that has locked the
// space.
func TestCreateEntity_creates_an_entity_instead_of_a_gate_that_was_just_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.dynamicGate(space, "e", placed)
	check(t, err)
	deletes := w.beginWithoutTriggers()
	_, err = deletes.ExecContext(t.Context(), "SELECT FROM spaces WHERE id = $1 FOR NO KEY UPDATE", space.ID)
	check(t, err)
	var created *model.CreatedEntity
	result := make(chan error, 1)
	go func() {
		var err error
		created, err = w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: ptr("e")})
		result <- err
	}()
	w.untilOneWaits()
	_, err = deletes.ExecContext(t.Context(), "DELETE FROM entities WHERE space_id = $1 AND entity_id = 'e'", space.ID)
	check(t, err)
	check(t, deletes.Commit())
	check(t, <-result)
	if created == nil || !created.Created {
		t.Errorf("got %+v, want a new entity", created)
	}
}

// Another client has deleted the gate, and then locks the space or creates the gate again, before
// the creation tries once more.
func TestCreateEntity_instead_of_a_deleted_gate_is_refused_by_the_present_state(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range []struct {
		name string
		meet func(space *model.Space) error
		want model.Code
	}{
		{"the id is a gate again", func(space *model.Space) error {
			_, err := w.dynamicGate(space, "e", placed)
			return err
		}, model.CodeConflict},
		{"the space is locked", func(space *model.Space) error {
			_, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: space.ID, Name: "Blender"})
			return err
		}, model.CodeLocked},
	} {
		space := w.space(w.alice, model.SpaceInfinite)
		check(t, test.meet(space))
		_, err := w.PutAfterGate(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: ptr("e")})
		if got := model.CodeOf(err); got != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// A lock refuses the first statement, and ends before the space is read to explain the refusal. A
// trigger forces this order: it runs after the statement, even if that stores nothing.
func TestCreateEntity_after_the_end_of_a_lock_mistakes_no_entity_for_a_gate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "a.glb")
	w.exec(`CREATE FUNCTION unlock() RETURNS trigger LANGUAGE plpgsql AS '
		BEGIN UPDATE spaces SET lock_token = NULL, locked_until = now() WHERE lock_token IS NOT NULL; RETURN NULL; END'`)
	w.exec(`CREATE TRIGGER unlock AFTER INSERT ON entities FOR EACH STATEMENT EXECUTE FUNCTION unlock()`)
	for _, test := range []struct {
		name string
		in   model.CreateEntity
		file *model.File
		want string
	}{
		{"a new entity", model.CreateEntity{EntityID: ptr("new"), Type: ptr("Thing")}, nil, "Thing"},
		{"an entity that shows a file", model.CreateEntity{EntityID: ptr("e")}, file, model.TypeUserModel},
	} {
		space := w.space(w.alice, model.SpaceInfinite)
		w.create(space, "e")
		w.exec("UPDATE spaces SET locked_until = now() + interval '1 hour', lock_token = 'a token' WHERE id = $1", space.ID)
		test.in.SpaceID = space.ID
		stored, err := w.PutUnlessGate(w.alice.ctx, test.in, test.file)
		if err != nil || stored == nil {
			t.Errorf("%s: got %v and %v, want it stored", test.name, stored, err)
			continue
		}
		equal(t, test.name, w.entity(space, *test.in.EntityID).Type, test.want)
	}
}

// beginWithoutTriggers starts a transaction of the administrator, which runs no triggers.
func (w *world) beginWithoutTriggers() *sql.Tx {
	w.t.Helper()
	tx, err := postgres.Connect(w.t, postgres.AdminURL(w.t, w.url)).BeginTx(w.t.Context(), nil)
	check(w.t, err)
	_, err = tx.ExecContext(w.t.Context(), "SET LOCAL session_replication_role = replica")
	check(w.t, err)
	return tx
}

// Two other requests create the entity, and delete it again just before it is read.
func TestAddOr_ends_with_a_refusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := model.CreateEntity{SpaceID: w.space(w.alice, model.SpaceInfinite).ID, EntityID: ptr("e")}
	_, err := w.Mutation().CreateEntity(w.alice.ctx, in)
	check(t, err)
	created, err := w.AddOr(w.alice.ctx, in.Entity(nil), func() (*model.CreatedEntity, error) {
		return nil, model.NotFound(model.EntityNotFound)
	})
	checkError(t, err, model.CodeNotFound, model.EntityNotFound)
	if created != nil {
		t.Errorf("got %v, want no entity", created)
	}
}
