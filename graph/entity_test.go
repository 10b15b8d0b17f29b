package graph_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"portico/model"
)

// checkData compares JSON objects, numbers by their text.
func checkData(t testing.TB, got model.Object, want string) {
	t.Helper()
	if !reflect.DeepEqual(decode(t, string(got)), decode(t, want)) {
		t.Errorf("data: got %s, want %s", got, want)
	}
}

func decode(t testing.TB, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return value
}

// put creates or updates an entity of alice's.
func (w *world) put(in model.CreateEntity) (*model.CreatedEntity, error) {
	return w.Mutation().CreateEntity(w.alice.ctx, in)
}

// merge updates an entity of alice's.
func (w *world) merge(space *model.Space, id, data string) (*model.Entity, error) {
	return w.Mutation().UpdateEntity(w.alice.ctx, model.UpdateEntity{
		SpaceID: space.ID, EntityID: id, Data: model.Object(data),
	})
}

func TestCreateEntity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	splat, mesh := w.file(w.alice, "a.spz"), w.file(w.alice, "a.glb")
	splatURL, meshURL := w.store.PublicURL(splat.StorageKey()), w.store.PublicURL(mesh.StorageKey())
	const uuid, modelID = `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, `^user-model-[0-9a-f]{16}$`
	for _, test := range []struct {
		name     string
		in       model.CreateEntity
		id, kind string
		data     string
	}{
		{"bare", model.CreateEntity{}, uuid, "Simple", `{}`},
		{"of a type", model.CreateEntity{Type: ptr("Lamp"), Data: model.Object(`{"on":true}`)}, uuid, "Lamp", `{"on":true}`},
		{"with an id", model.CreateEntity{EntityID: ptr("My.lamp_1-a")}, `^My\.lamp_1-a$`, "Simple", `{}`},
		{"with an empty resource key", model.CreateEntity{ResourceKey: ptr("")}, uuid, "Simple", `{}`},
		{
			"from a mesh", model.CreateEntity{ResourceKey: &mesh.ResourceKey}, modelID, "UserModelEntity",
			`{"glbUrl":"` + meshURL + `","scale":[1,1,1],"rotation":{"x":0,"y":0,"z":0},"position":[0,0,0]}`,
		},
		{
			"from a splat, which stands upright", model.CreateEntity{ResourceKey: &splat.ResourceKey}, modelID, "UserModelEntity",
			`{"glbUrl":"` + splatURL + `","scale":[1,1,1],"rotation":{"x":0,"y":0,"z":180},"position":[0,0,0]}`,
		},
		{
			"from a file with what was sent over its defaults",
			model.CreateEntity{ResourceKey: &splat.ResourceKey, Data: model.Object(`{"rotation":{"x":1.10},"label":"<a&b>","n":12345678901234567890}`)},
			modelID, "UserModelEntity",
			`{"glbUrl":"` + splatURL + `","scale":[1,1,1],"rotation":{"x":1.10},"position":[0,0,0],"label":"<a&b>","n":12345678901234567890}`,
		},
		{
			"from a file whose address nothing overrides",
			model.CreateEntity{ResourceKey: &mesh.ResourceKey, Type: ptr("Lamp"), Data: model.Object(`{"glbUrl":"https://evil.example/x.glb","scale":2,"position":null}`)},
			modelID, "UserModelEntity",
			`{"glbUrl":"` + meshURL + `","scale":2,"rotation":{"x":0,"y":0,"z":0},"position":null}`,
		},
		{
			"without a file, with an address of its own", model.CreateEntity{Data: model.Object(`{"glbUrl":"https://cdn.example/x.glb"}`)},
			uuid, "Simple", `{"glbUrl":"https://cdn.example/x.glb"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.in.SpaceID = space.ID
			got, err := w.put(test.in)
			check(t, err)
			equal(t, "created", got.Created, true)
			for _, entity := range []*model.Entity{got.Entity, w.entity(space, got.Entity.EntityID)} {
				if !regexp.MustCompile(test.id).MatchString(entity.EntityID) {
					t.Errorf("id: got %q, want %s", entity.EntityID, test.id)
				}
				equal(t, "type", entity.Type, test.kind)
				checkData(t, entity.Data, test.data)
				checkData(t, entity.State, `{}`)
			}
		})
	}
}

func TestCreateEntity_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	const badID = "entity_id must have 1 to 128 letters, digits, dots, underscores or hyphens"
	others := w.file(w.bob, "a.glb")
	for _, test := range []struct {
		name    string
		in      model.CreateEntity
		code    model.Code
		message string
	}{
		{"an empty id", model.CreateEntity{EntityID: ptr("")}, model.CodeInvalid, badID},
		{"a slash in the id", model.CreateEntity{EntityID: ptr("a/b")}, model.CodeInvalid, badID},
		{"a space in the id", model.CreateEntity{EntityID: ptr("a b")}, model.CodeInvalid, badID},
		{"a line break in the id", model.CreateEntity{EntityID: ptr("a\n")}, model.CodeInvalid, badID},
		{"another script in the id", model.CreateEntity{EntityID: ptr("ä")}, model.CodeInvalid, badID},
		{"a long id", model.CreateEntity{EntityID: ptr(strings.Repeat("a", 129))}, model.CodeInvalid, badID},
		{"the longest id", model.CreateEntity{EntityID: ptr(strings.Repeat("a", 128))}, "", ""},
		{"an empty type", model.CreateEntity{Type: ptr("")}, model.CodeInvalid, "entity_type must not be empty"},
		{"a NUL in the type", model.CreateEntity{Type: ptr("a\x00")}, model.CodeInvalid, "entity_type must not contain a NUL character"},
		{"another user's file", model.CreateEntity{ResourceKey: &others.ResourceKey}, model.CodeNotFound, "File not found"},
		{"an unknown file", model.CreateEntity{ResourceKey: ptr("unknown")}, model.CodeNotFound, "File not found"},
		{"a NUL in the data", model.CreateEntity{Data: model.Object(`{"a":"\u0000"}`)}, model.CodeInvalid, ""},
		{"a dynamicGate that is not an object", model.CreateEntity{Data: model.Object(`{"dynamicGate":[]}`)}, model.CodeInvalid, "entity_data.dynamicGate must be an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.in.SpaceID = space.ID
			_, err := w.put(test.in)
			checkError(t, err, test.code, test.message)
		})
	}
}

func TestCreateEntity_again(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	file := w.file(w.alice, "a.ply")
	url := w.store.PublicURL(file.StorageKey())
	send := func(in model.CreateEntity) *model.CreatedEntity {
		t.Helper()
		in.SpaceID, in.EntityID = space.ID, ptr("chair")
		got, err := w.put(in)
		check(t, err)
		return got
	}
	equal(t, "created", send(model.CreateEntity{Data: model.Object(`{"a":1,"b":{"x":1,"y":2}}`)}).Created, true)
	w.exec(`UPDATE entities SET state = '{"open":true}' WHERE entity_id = 'chair'`)
	for _, step := range []struct {
		name       string
		in         model.CreateEntity
		kind, data string
	}{
		{"lays what is sent over", model.CreateEntity{Data: model.Object(`{"a":null,"c":3}`)}, "Simple", `{"a":null,"b":{"x":1,"y":2},"c":3}`},
		{"replaces whole fields", model.CreateEntity{Data: model.Object(`{"b":{"x":9}}`)}, "Simple", `{"a":null,"b":{"x":9},"c":3}`},
		{"keeps everything when nothing is sent", model.CreateEntity{}, "Simple", `{"a":null,"b":{"x":9},"c":3}`},
		{"sets the type", model.CreateEntity{Type: ptr("Chair")}, "Chair", `{"a":null,"b":{"x":9},"c":3}`},
		{
			"sets the file without its defaults", model.CreateEntity{ResourceKey: &file.ResourceKey, Data: model.Object(`{"glbUrl":"x"}`)},
			"UserModelEntity", `{"a":null,"b":{"x":9},"c":3,"glbUrl":"` + url + `"}`,
		},
		{"keeps the type when none is sent", model.CreateEntity{Data: model.Object(`{"a":2}`)}, "UserModelEntity", `{"a":2,"b":{"x":9},"c":3,"glbUrl":"` + url + `"}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			got := send(step.in)
			equal(t, "created", got.Created, false)
			equal(t, "type", got.Entity.Type, step.kind)
			checkData(t, got.Entity.Data, step.data)
			checkData(t, got.Entity.State, `{"open":true}`)
		})
	}
	t.Run("makes one entity of many at once", func(t *testing.T) {
		created := make(chan bool, 20)
		for _, err := range atOnce(20, func() error {
			got, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("table"), Data: model.Object(`{"a":1}`)})
			if err == nil {
				created <- got.Created
			}
			return err
		}) {
			check(t, err)
		}
		var count int
		for range 20 {
			if <-created {
				count++
			}
		}
		equal(t, "created", count, 1)
	})
}

func TestUpdateEntity_merges_the_data_by_field(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair"), Data: model.Object(`{"a":1,"n":1.10}`)})
	check(t, err)
	w.exec(`UPDATE entities SET state = '{"open":true}' WHERE entity_id = 'chair'`)
	got, err := w.merge(space, "chair", `{"a":[1,2],"b":12345678901234567890}`)
	check(t, err)
	for _, entity := range []*model.Entity{got, w.entity(space, "chair")} {
		checkData(t, entity.Data, `{"a":[1,2],"n":1.10,"b":12345678901234567890}`)
		checkData(t, entity.State, `{"open":true}`)
	}
	if !got.ChangedAt.After(got.CreatedAt.Time) {
		t.Errorf("changed at: got %v, want it after %v", got.ChangedAt, got.CreatedAt)
	}
	_, err = w.Mutation().UpdateEntity(w.alice.ctx, model.UpdateEntity{SpaceID: space.ID, EntityID: "chair"})
	checkError(t, err, model.CodeInvalid, "entity_data is required and must be an object")
	// Within dynamicGate it is by field, whatever the entity's type.
	_, err = w.merge(space, "chair", `{"dynamicGate":{"a":1,"b":1}}`)
	check(t, err)
	got, err = w.merge(space, "chair", `{"a":1,"n":1,"b":1,"dynamicGate":{"b":2}}`)
	check(t, err)
	checkData(t, got.Data, `{"a":1,"n":1,"b":1,"dynamicGate":{"a":1,"b":2}}`)
	for _, err := range atOnce(10, func() error {
		_, err := w.merge(space, "chair", `{"c":1}`)
		return err
	}) {
		check(t, err)
	}
}

func TestRoomInfo_keeps_its_type_and_cannot_be_deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	_, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, "RoomInfo")
	checkError(t, err, model.CodeInvalid, "entity_id: RoomInfo cannot be deleted")
	_, err = w.merge(space, "RoomInfo", `{"floor":"wood"}`)
	check(t, err)
	got, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("RoomInfo"), Type: ptr("Lamp"), Data: model.Object(`{"wall":1}`)})
	check(t, err)
	equal(t, "created", got.Created, false)
	equal(t, "type", got.Entity.Type, "Simple")
	checkData(t, got.Entity.Data, `{"floor":"wood","wall":1}`)
	for _, kind := range []string{model.TypeGate, model.TypeDynamicGate} {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("RoomInfo"), Type: &kind, Data: placed})
		checkError(t, err, model.CodeInvalid, "")
	}
	equal(t, "type", w.entity(space, "RoomInfo").Type, "Simple")
	page, err := w.entitiesIn(w.alice.ctx, space, pageOf(nil, nil))
	check(t, err)
	equal(t, "listed", len(page.Nodes)+page.TotalCount, 0)
}

func TestDeleteEntity_deletes_the_entity_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	got, err := w.put(model.CreateEntity{SpaceID: space.ID})
	check(t, err)
	id, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, got.Entity.EntityID)
	check(t, err)
	equal(t, "id", id, got.Entity.EntityID)
	_, err = w.Mutation().DeleteEntity(w.alice.ctx, space.ID, id)
	checkError(t, err, model.CodeNotFound, "Entity not found")
}

// The test reads pages while entities come and go.
func TestEntities_returns_pages_while_entities_change(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: &id})
		check(t, err)
	}
	page, err := w.entitiesIn(w.alice.ctx, space, pageOf(ptr(2), nil))
	check(t, err)
	equal(t, "total", page.TotalCount, 5)
	seen := page.Nodes[0].EntityID + page.Nodes[1].EntityID
	for _, id := range []string{"a", "b"} { // the cursor's own row, too
		_, err := w.Mutation().DeleteEntity(w.alice.ctx, space.ID, id)
		check(t, err)
	}
	_, err = w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("f")})
	check(t, err)
	_, err = w.merge(space, "c", `{"moved":true}`)
	check(t, err)
	page, err = w.entitiesIn(w.alice.ctx, space, pageOf(nil, page.PageInfo.EndCursor))
	check(t, err)
	for _, edge := range page.Edges() {
		seen += edge.Node.EntityID
	}
	equal(t, "entities in the order of creation", seen, "abcdef")
	equal(t, "total", page.TotalCount, 4)
	equal(t, "more", page.PageInfo.HasNextPage, false)
}
