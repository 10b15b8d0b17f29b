package db

import (
	"fmt"
	"sync"
	"testing"

	"portico/model"
)

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
			before := addEntity(t, db, space, test.name, model.TypeSimple, test.stored)
			got, err := db.MergeEntity(t.Context(), model.UpdateEntity{
				SpaceID: space.ID, EntityID: test.name, Data: model.Object(test.sent),
			}, false)
			check(t, err)
			if string(got.Data) != test.want {
				t.Errorf("data: got %s, want %s", got.Data, test.want)
			}
			if got.CreatedAt != before.CreatedAt || !got.ChangedAt.After(before.ChangedAt.Time) {
				t.Errorf("times: got %v and %v, want %v and later", got.CreatedAt, got.ChangedAt, before.CreatedAt)
			}
			read, err := db.Entity(t.Context(), space.ID, test.name)
			check(t, err)
			if string(read.Data) != test.want || string(read.State) != "{}" {
				t.Errorf("read again: got %s and %s, want %s and {}", read.Data, read.State, test.want)
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

func TestMergeEntity_refuses(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	for _, kind := range []string{model.TypeGate, model.TypeDynamicGate} {
		addEntity(t, db, space, kind, kind, `{}`)
	}
	for _, test := range []struct {
		name, space, id string
		gates, found    bool
	}{
		{"an_unknown_entity", space.ID, "nobody", true, false},
		{"an_unknown_space", "nowhere", model.TypeGate, true, false},
		{"a_static_gate_unless_asked", space.ID, model.TypeGate, false, false},
		{"a_dynamic_gate_unless_asked", space.ID, model.TypeDynamicGate, false, false},
		{"no_gate_when_asked", space.ID, model.TypeDynamicGate, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := model.UpdateEntity{SpaceID: test.space, EntityID: test.id, Data: model.Object(`{"a":1}`)}
			got, err := db.MergeEntity(t.Context(), in, test.gates)
			check(t, err)
			if (got != nil) != test.found {
				t.Errorf("entity: got %v, want one: %v", got, test.found)
			}
		})
	}
}

// Each writer merges in the row, so none overwrites what another has just set.
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
			_, err := db.MergeEntity(t.Context(), model.UpdateEntity{SpaceID: space.ID, EntityID: "e", Data: data}, false)
			if err != nil {
				t.Errorf("MergeEntity %d: %v", i, err)
			}
		})
	}
	all.Wait()
	entity, err := db.Entity(t.Context(), space.ID, "e")
	check(t, err)
	if got, want := len(entity.Data.Fields()), writers; got != want {
		t.Errorf("fields: got %d, want %d", got, want)
	}
}

func TestPutEntity(t *testing.T) {
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
			got, created, err := db.PutEntity(t.Context(), entity, model.Object(`{"sent":1}`), test.setType)
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

func TestPutEntity_creates_once_for_concurrent_requests(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	const writers = 20
	created := make(chan bool, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			data := model.Object(fmt.Sprintf(`{"field%d":%d}`, i, i))
			_, first, err := db.PutEntity(t.Context(), model.NewEntity(space.ID, "e", "Note", data), data, true)
			if err != nil {
				t.Errorf("PutEntity %d: %v", i, err)
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
	entity, err := db.Entity(t.Context(), space.ID, "e")
	check(t, err)
	if got, want := len(entity.Data.Fields()), writers; got != want {
		t.Errorf("fields: got %d, want %d", got, want)
	}
}

func TestAddEntity_tells_when_the_id_is_taken(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	first := addEntity(t, db, space, "e", model.TypeGate, `{"a":1}`)
	if first.Sequence == 0 {
		t.Error("sequence of the new entity: got 0, want its place in the list")
	}
	added, err := db.AddEntity(t.Context(), model.NewEntity(space.ID, "e", "Note", model.Object(`{"b":1}`)))
	check(t, err)
	if added {
		t.Error("AddEntity of a taken id: got true, want false")
	}
	got, err := db.Entity(t.Context(), space.ID, "e")
	check(t, err)
	if want := `{"a": 1}`; string(got.Data) != want || got.Type != model.TypeGate {
		t.Errorf("entity: got %s %s, want %s %s", got.Type, got.Data, model.TypeGate, want)
	}
}

// The space may be deleted between the check of its owner and the write.
func TestNew_entities_of_a_space_that_is_gone(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	entity := model.NewEntity("gone", "e", model.TypeSimple, nil)
	_, errAdd := db.AddEntity(t.Context(), entity)
	_, _, errPut := db.PutEntity(t.Context(), entity, entity.Data, false)
	for name, err := range map[string]error{"AddEntity": errAdd, "PutEntity": errPut} {
		if model.CodeOf(err) != model.CodeNotFound || err.Error() != model.SpaceNotFound {
			t.Errorf("%s: got %v, want %s", name, err, model.SpaceNotFound)
		}
	}
}

func TestDeleteEntity(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	here, there := addSpace(t, db, user, "here"), addSpace(t, db, user, "there")
	addEntity(t, db, here, "e", model.TypeSimple, `{}`)
	addEntity(t, db, there, "e", model.TypeSimple, `{}`)
	for i, want := range []bool{true, false} {
		got, err := db.DeleteEntity(t.Context(), here.ID, "e")
		check(t, err)
		if got != want {
			t.Errorf("DeleteEntity %d: got %v, want %v", i, got, want)
		}
	}
	_, err := db.Entity(t.Context(), there.ID, "e")
	check(t, err)
}
