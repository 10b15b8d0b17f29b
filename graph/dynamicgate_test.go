package graph_test

import (
	"strings"
	"testing"

	"portico/model"
)

func TestDynamicGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	created, err := w.dynamicGate(space, "door", placed)
	check(t, err)
	equal(t, "created", created.Created, true)
	fields := w.entity(space, "door").Data.Fields()
	checkData(t, model.Object(fields["dynamicGate"]), `{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":false}`)
	equal(t, "platform", string(fields["platform"]), `"arrival.space"`)
	for _, step := range []struct {
		name, data, want string
	}{
		{"moves by its position alone", `{"dynamicGate":{"position":{"x":4,"y":5,"z":6}}}`, `{"position":{"x":4,"y":5,"z":6},"rotation":{"x":0,"y":90,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":false}`},
		{"is hidden by that alone", `{"dynamicGate":{"hidden":true}}`, `{"position":{"x":4,"y":5,"z":6},"rotation":{"x":0,"y":90,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":true}`},
		{"keeps its place when its content changes", `{"title":"Door"}`, `{"position":{"x":4,"y":5,"z":6},"rotation":{"x":0,"y":90,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":true}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			got, err := w.merge(space, "door", step.data)
			check(t, err)
			checkData(t, model.Object(got.Data.Fields()["dynamicGate"]), step.want)
		})
	}
	t.Run("is updated by a POST with a part of its data", func(t *testing.T) {
		for _, kind := range []*string{nil, ptr(model.TypeDynamicGate)} {
			got, err := w.put(model.CreateEntity{
				SpaceID: space.ID, EntityID: ptr("door"), Type: kind, Data: model.Object(`{"dynamicGate":{"position":{"x":7,"y":8,"z":9}}}`),
			})
			check(t, err)
			equal(t, "created", got.Created, false)
			equal(t, "title", string(got.Entity.Data.Fields()["title"]), `"Door"`)
		}
	})
	t.Run("is made once by many at once", func(t *testing.T) {
		for _, err := range atOnce(10, func() error { _, err := w.dynamicGate(space, "window", placed); return err }) {
			check(t, err)
		}
	})
	_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "door")
	check(t, err)
}

func TestDynamicGate_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	_, err := w.dynamicGate(space, "door", placed)
	check(t, err)
	_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	const gate = "entity_data.dynamicGate"
	for _, test := range []struct{ name, data, message string }{
		{"no place", `{}`, gate + " is required for a DynamicGate and must be an object"},
		{"null", `{"dynamicGate":null}`, gate + " is required for a DynamicGate and must be an object"},
		{"no object", `{"dynamicGate":1}`, gate + " must be an object"},
		{"no position", `{"dynamicGate":{"rotation":{"x":0,"y":0,"z":0}}}`, gate + ".position is required and must be an object"},
		{"no rotation", `{"dynamicGate":{"position":{"x":0,"y":0,"z":0}}}`, gate + ".rotation is required and must be an object"},
		{"half a position", `{"dynamicGate":{"position":{"x":0},"rotation":{"x":0,"y":0,"z":0}}}`, gate + ".position.y must be a number"},
		{"text in a rotation", `{"dynamicGate":{"position":{"x":0,"y":0,"z":0},"rotation":{"x":"0","y":0,"z":0}}}`, gate + ".rotation.x must be a number"},
		{"a scale without h", `{"dynamicGate":{"position":{"x":0,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0},"scale":{"w":1}}}`, gate + ".scale.h must be a number"},
		{"a word for frameless", `{"dynamicGate":{"position":{"x":0,"y":0,"z":0},"rotation":{"x":0,"y":0,"z":0},"frameless":"no"}}`, gate + ".frameless must be true or false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.dynamicGate(space, "new", model.Object(test.data))
			checkError(t, err, model.CodeInvalid, test.message)
			_, err = w.put(model.CreateEntity{SpaceID: space.ID, Type: ptr(model.TypeDynamicGate), Data: model.Object(test.data)})
			checkError(t, err, model.CodeInvalid, test.message)
		})
	}
	t.Run("a change of the type", func(t *testing.T) {
		t.Parallel()
		_, err := w.dynamicGate(space, "chair", placed)
		checkError(t, err, model.CodeInvalid, "entity_type of a gate cannot be changed, and no other entity can become a gate")
		_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("door"), Type: ptr("Simple")})
		checkError(t, err, model.CodeInvalid, "entity_type of a gate cannot be changed, and no other entity can become a gate")
		_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("door"), Type: ptr("Gate")})
		checkError(t, err, model.CodeInvalid, "")
		equal(t, "chair", w.entity(space, "chair").Type, "Simple")
		checkData(t, w.entity(space, "chair").Data, `{}`)
		equal(t, "door", w.entity(space, "door").Type, "DynamicGate")
	})
	t.Run("an update that breaks it, and leaves it as it was", func(t *testing.T) {
		t.Parallel()
		before := w.entity(space, "door")
		for _, data := range []string{`{"dynamicGate":null}`, `{"dynamicGate":{"position":null}}`, `{"dynamicGate":{"position":{"x":1}}}`, `{"link":5}`} {
			_, err := w.merge(space, "door", data)
			checkError(t, err, model.CodeInvalid, "")
			after := w.entity(space, "door")
			checkData(t, after.Data, string(before.Data))
			equal(t, "changed at", after.ChangedAt, before.ChangedAt)
		}
	})
}

// TestDynamicGate_of_a_file checks the order of precedence: defaults, what was sent,
// the file's address (requirements.md, Entities).
func TestDynamicGate_of_a_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	splat := w.file(w.alice, "a.spz")
	url := w.store.PublicURL(splat.StorageKey())
	send := func(id *string, data model.Object) *model.CreatedEntity {
		t.Helper()
		got, err := w.put(model.CreateEntity{
			SpaceID: space.ID, EntityID: id, Type: ptr(model.TypeDynamicGate), ResourceKey: &splat.ResourceKey, Data: data,
		})
		check(t, err)
		equal(t, "type", got.Entity.Type, model.TypeDynamicGate)
		return got
	}
	field := func(got *model.CreatedEntity, name string) string {
		return string(got.Entity.Data.Fields()[name])
	}
	got := send(ptr("gate"), withPlace(`{"position":[1,2,3],"title":"In","glbUrl":"https://evil.example/x.glb"}`))
	equal(t, "created", got.Created, true)
	for name, want := range map[string]string{
		"rotation": `{"x":0,"y":0,"z":180}`, "scale": "[1,1,1]", // the file's defaults
		"screenSelect": "0", // the gate's
		"position":     "[1,2,3]", "title": `"In"`,
		"glbUrl": `"` + url + `"`,
	} {
		equal(t, name, field(got, name), want)
	}
	t.Run("makes an id of a file", func(t *testing.T) {
		got := send(nil, placed)
		if !strings.HasPrefix(got.Entity.EntityID, "user-model-") {
			t.Errorf("id: got %s, want user-model- before it", got.Entity.EntityID)
		}
	})
	t.Run("lays no defaults over a gate that is there", func(t *testing.T) {
		_, err := w.merge(space, "gate", `{"rotation":{"x":1},"scale":2}`)
		check(t, err)
		got := send(ptr("gate"), model.Object(`{"title":"Out"}`))
		equal(t, "created", got.Created, false)
		for name, want := range map[string]string{"rotation": `{"x": 1}`, "scale": "2", "title": `"Out"`, "glbUrl": `"` + url + `"`} {
			equal(t, name, field(got, name), want)
		}
	})
	t.Run("needs the place of a gate", func(t *testing.T) {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, Type: ptr(model.TypeDynamicGate), ResourceKey: &splat.ResourceKey})
		checkError(t, err, model.CodeInvalid, "entity_data.dynamicGate is required for a DynamicGate and must be an object")
	})
}
