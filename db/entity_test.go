package db

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"portico/model"
)

// merges are the methods that merge fields into the data of an entity, as the owner of
// its space.
func merges(db *DB, space *model.Space) map[string]func(context.Context, model.UpdateEntity) (*model.Entity, error) {
	return map[string]func(context.Context, model.UpdateEntity) (*model.Entity, error){
		"MergeEntity": db.Entities().MergeEntity,
		"MergeOwnedEntity": func(ctx context.Context, in model.UpdateEntity) (*model.Entity, error) {
			return db.Entities().MergeOwnedEntity(ctx, space.OwnerID, in)
		},
	}
}

func TestMergeEntity(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	for _, test := range []struct{ name, stored, sent, want string }{
		{"overwrites_and_keeps", `{"a":1,"b":2}`, `{"b":3,"c":4}`, `{"a": 1, "b": 3, "c": 4}`},
		{"stores_null", `{"a":1}`, `{"a":null}`, `{"a": null}`},
		{"changes_nothing_for_no_fields", `{"a":1}`, `{}`, `{"a": 1}`},
		{"replaces_nested_objects_whole", `{"o":{"x":1,"y":2}}`, `{"o":{"x":3}}`, `{"o": {"x": 3}}`},
		{
			"merges_within_dynamicGate", `{"dynamicGate":{"position":{"x":1,"y":2},"hidden":true},"link":""}`,
			`{"dynamicGate":{"position":{"x":9}}}`, `{"link": "", "dynamicGate": {"hidden": true, "position": {"x": 9}}}`,
		},
		{"adds_a_dynamicGate", `{}`, `{"dynamicGate":{"hidden":true}}`, `{"dynamicGate": {"hidden": true}}`},
		{"sets_dynamicGate_to_null", `{"dynamicGate":{"hidden":true}}`, `{"dynamicGate":null}`, `{"dynamicGate": null}`},
		{"fills_a_dynamicGate_that_is_null", `{"dynamicGate":null}`, `{"dynamicGate":{"hidden":true}}`, `{"dynamicGate": {"hidden": true}}`},
		{
			"keeps_numbers_exactly", `{"keep":12345678901234567890}`, `{"n":1.10,"z":-12345678901234567890.00,"big":1e30}`,
			`{"n": 1.10, "z": -12345678901234567890.00, "big": 1000000000000000000000000000000, "keep": 12345678901234567890}`,
		},
		{"keeps_markup_and_unicode", `{}`, `{"t":"<a href='x?y=1&z'>ü 🚪 \\ \"</a>"}`, `{"t": "<a href='x?y=1&z'>ü 🚪 \\ \"</a>"}`},
		{"keeps_question_marks", `{"?":1}`, `{"q":"? ?0 ?a"}`, `{"?": 1, "q": "? ?0 ?a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for method, merge := range merges(db, space) {
				id := test.name + method
				before := addEntity(t, db, space, id, model.TypeSimple, test.stored)
				got, err := merge(t.Context(), model.UpdateEntity{SpaceID: space.ID, EntityID: id, Data: model.Object(test.sent)})
				check(t, err)
				if string(got.Data) != test.want {
					t.Errorf("%s: got data %s, want %s", method, got.Data, test.want)
				}
				if got.CreatedAt != before.CreatedAt || !got.ChangedAt.After(before.ChangedAt.Time) {
					t.Errorf("%s: got times %v and %v, want %v and later", method, got.CreatedAt, got.ChangedAt, before.CreatedAt)
				}
				read := storedEntity(t, db, space.ID, id)
				if string(read.Data) != test.want || string(read.State) != "{}" {
					t.Errorf("%s: got stored %s and %s, want %s and {}", method, read.Data, read.State, test.want)
				}
			}
		})
	}
}

func TestMergeEntity_keeps_the_value_of_1e400(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	addEntity(t, db, space, "e", model.TypeSimple, `{"n": 1e400}`)
	got := number(t, db, "SELECT count(*) FROM entities WHERE (data ->> 'n')::numeric = 10::numeric ^ 400")
	if want := 1; got != want {
		t.Errorf("entities with 10^400: got %d, want %d", got, want)
	}
}

func TestEntities_of_others_and_gates_are_left_alone(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, stranger := addUser(t, db), addUser(t, db)
	space := addSpace(t, db, owner, "here")
	for _, kind := range []string{model.TypeSimple, model.TypeGate, model.TypeDynamicGate} {
		addEntity(t, db, space, kind, kind, `{}`)
	}
	for _, test := range []struct {
		name, owner, space, id string
		found, merged          bool
	}{
		{"the owner's", owner.ID, space.ID, model.TypeSimple, true, true},
		{"a static gate", owner.ID, space.ID, model.TypeGate, true, false},
		{"a dynamic gate", owner.ID, space.ID, model.TypeDynamicGate, true, false},
		{"somebody else's", stranger.ID, space.ID, model.TypeSimple, false, false},
		{"an unknown entity", owner.ID, space.ID, "nobody", false, false},
		{"an unknown space", owner.ID, "nowhere", model.TypeSimple, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			entity, err := db.Entities().OwnedEntity(t.Context(), test.owner, test.space, test.id)
			check(t, err)
			if got := entity != nil; got != test.found {
				t.Errorf("OwnedEntity: got one: %v, want %v", got, test.found)
			}
			in := model.UpdateEntity{SpaceID: test.space, EntityID: test.id, Data: model.Object(`{"a":1}`)}
			entity, err = db.Entities().MergeOwnedEntity(t.Context(), test.owner, in)
			check(t, err)
			if got := entity != nil; got != test.merged {
				t.Errorf("MergeOwnedEntity: got one: %v, want %v", got, test.merged)
			}
			if test.found || test.id == "nobody" {
				return
			}
			deleted, err := db.Entities().DeleteOwnedEntity(t.Context(), test.owner, test.space, test.id)
			check(t, err)
			put, _, err := db.Entities().PutOwnedEntity(t.Context(), test.owner, model.NewEntity(test.space, test.id, "Note", nil), nil, true)
			check(t, err)
			if deleted || put != nil {
				t.Errorf("deleted and put: got %v and %v, want neither", deleted, put)
			}
		})
	}
}

func TestMergeEntity_finds_gates_too(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	addEntity(t, db, space, "gate", model.TypeGate, `{}`)
	for id, want := range map[string]bool{"gate": true, "nobody": false} {
		got, err := db.Entities().MergeEntity(t.Context(), model.UpdateEntity{SpaceID: space.ID, EntityID: id, Data: model.Object(`{}`)})
		check(t, err)
		if (got != nil) != want {
			t.Errorf("MergeEntity(%s): got %v, want one: %v", id, got, want)
		}
	}
}

// Each writer merges in the row, so no writer overwrites the fields of another.
func TestMergeEntity_loses_nothing_of_concurrent_updates(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	addEntity(t, db, space, "e", model.TypeSimple, `{}`)
	const writers = 50
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			data := model.Object(fmt.Sprintf(`{"field%d":%d}`, i, i))
			_, err := db.Entities().MergeEntity(t.Context(), model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data})
			if err != nil {
				t.Errorf("MergeEntity %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if got, want := len(storedEntity(t, db, space.ID, "e").Data.Fields()), writers; got != want {
		t.Errorf("fields: got %d, want %d", got, want)
	}
}

func TestPutOwnedEntity(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, test := range []struct {
		name, there string // the type of the entity that has the id; empty for none
		setType     bool
		wantType    string // empty when nothing is stored
		wantData    string
		wantCreated bool
	}{
		{"creates", "", false, "Note", `{"whole": 1}`, true},
		{"merges_what_was_sent", model.TypeSimple, false, model.TypeSimple, `{"old": 1, "sent": 1}`, false},
		{"changes_the_type_when_it_was_sent", model.TypeSimple, true, "Note", `{"old": 1, "sent": 1}`, false},
		{"leaves_a_static_gate_alone", model.TypeGate, true, "", "", false},
		{"leaves_a_dynamic_gate_alone", model.TypeDynamicGate, false, "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			space := addSpace(t, db, addUser(t, db), "here")
			if test.there != "" {
				addEntity(t, db, space, "e", test.there, `{"old":1}`)
			}
			entity := model.NewEntity(space.ID, "e", "Note", model.Object(`{"whole":1}`))
			got, created, err := db.Entities().PutOwnedEntity(t.Context(), space.OwnerID, entity, model.Object(`{"sent":1}`), test.setType)
			check(t, err)
			if created != test.wantCreated {
				t.Errorf("created: got %v, want %v", created, test.wantCreated)
			}
			if (got != nil) != (test.wantType != "") {
				t.Fatalf("entity: got %v, want one: %v", got, test.wantType != "")
			}
			if got != nil && (got.Type != test.wantType || string(got.Data) != test.wantData || got.Sequence == 0) {
				t.Errorf("entity: got %s %s %d, want %s %s", got.Type, got.Data, got.Sequence, test.wantType, test.wantData)
			}
		})
	}
}

func TestPutOwnedEntity_creates_once_for_concurrent_requests(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	const writers = 20
	created := make(chan bool, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			data := model.Object(fmt.Sprintf(`{"field%d":%d}`, i, i))
			_, first, err := db.Entities().PutOwnedEntity(t.Context(), space.OwnerID, model.NewEntity(space.ID, "e", "Note", data), nil, true)
			if err != nil {
				t.Errorf("PutOwnedEntity %d: %v", i, err)
			}
			if first {
				created <- true
			}
		})
	}
	all.Wait()
	if got, want := len(created), 1; got != want {
		t.Errorf("created: got %d times, want %d", got, want)
	}
	if got, want := len(storedEntity(t, db, space.ID, "e").Data.Fields()), writers; got != want {
		t.Errorf("fields: got %d, want %d", got, want)
	}
}

func TestAddEntity_reports_whether_the_id_was_free(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	first := addEntity(t, db, space, "e", model.TypeGate, `{"a":1}`)
	if first.Sequence == 0 {
		t.Error("sequence of the new entity: got 0, want its place in the list")
	}
	added, err := db.Entities().AddEntity(t.Context(), model.NewEntity(space.ID, "e", "Note", model.Object(`{"b":1}`)))
	check(t, err)
	if added {
		t.Error("AddEntity of a taken id: got true, want false")
	}
	got := storedEntity(t, db, space.ID, "e")
	if want := `{"a": 1}`; string(got.Data) != want || got.Type != model.TypeGate {
		t.Errorf("entity: got %s %s, want %s %s", got.Type, got.Data, model.TypeGate, want)
	}
}

// The space may be deleted between the check of its owner and the write.
func TestAddEntity_to_a_space_that_is_gone(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	_, err := db.Entities().AddEntity(t.Context(), model.NewEntity("gone", "e", model.TypeSimple, nil))
	if model.CodeOf(err) != model.CodeNotFound || err.Error() != model.SpaceNotFound {
		t.Errorf("AddEntity: got %v, want %s", err, model.SpaceNotFound)
	}
}

func TestDeleteOwnedEntity_deletes_nothing_of_others(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	here, there := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	addEntity(t, db, here, "e", model.TypeSimple, `{}`)
	addEntity(t, db, there, "e", model.TypeSimple, `{}`)
	for i, want := range []bool{true, false} {
		got, err := db.Entities().DeleteOwnedEntity(t.Context(), user.ID, here.ID, "e")
		check(t, err)
		if got != want {
			t.Errorf("DeleteOwnedEntity %d: got %v, want %v", i, got, want)
		}
	}
	if storedEntity(t, db, there.ID, "e") == nil {
		t.Error("entity with the same id in another space: got none, want it kept")
	}
}
