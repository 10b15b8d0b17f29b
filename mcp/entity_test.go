package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"portico/graph/view"
	"portico/model"
)

func TestEntity_from_creation_to_deletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	arguments := func(more string) string { return `{"spaceId":"` + id + `","entity_id":"chair"` + more + `}` }
	made := w.call(w.alice, "create_entity", arguments(`,"entity_data":{"n":12345678901234567890,"html":"<b>&</b>"}`))
	got := read[createdEntityOutput](made)
	equal(t, "created", got.Created, true)
	equal(t, "type", got.EntityType, model.TypeSimple)
	if _, data := made.text(); !strings.Contains(data, `"n":12345678901234567890`) || !strings.Contains(data, `"<b>&</b>"`) {
		t.Errorf("data: got %s, want the number to the digit and no escapes", data)
	}
	equal(t, "created again", read[createdEntityOutput](w.call(w.alice, "create_entity", arguments(`,"entity_data":{"again":true}`))).Created, false)

	updated := read[view.Entity](w.call(w.alice, "update_entity", arguments(`,"entity_data":{"html":null}`)))
	fields := updated.EntityData.Fields()
	equal(t, "n", string(fields["n"]), "12345678901234567890")
	equal(t, "html", string(fields["html"]), "null")
	equal(t, "again", string(fields["again"]), "true")

	record := read[view.EntityRecord](w.call(w.alice, "get_entity", arguments("")))
	equal(t, "state", string(record.EntityState), "{}")
	equal(t, "data", len(record.EntityData.Fields()), 3)
	equal(t, "deleted", read[view.Notice](w.call(w.alice, "delete_entity", arguments(""))).Message, "Entity deleted")
	w.call(w.alice, "get_entity", arguments("")).refused(model.CodeNotFound, "Entity not found")
}

func TestCreateEntity_of_a_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, key := w.space(w.alice, `{}`), w.file(w.alice, "scan.ply")
	got := read[createdEntityOutput](w.call(w.alice, "create_entity", `{"spaceId":"`+id+`","resource_key":"`+key+`","entity_data":{"position":[1,2,3]}}`))
	equal(t, "type", got.EntityType, model.TypeUserModel)
	fields := got.EntityData.Fields()
	equal(t, "position", string(fields["position"]), "[1,2,3]")
	equal(t, "glbUrl", string(fields["glbUrl"]), `"https://portico.example/files/`+w.alice.id+"/"+key+`"`)
	w.call(w.bob, "create_entity", `{"spaceId":"`+w.space(w.bob, `{}`)+`","resource_key":"`+key+`"}`).
		refused(model.CodeNotFound, "File not found")
}

func TestListEntities_pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{"space_type":"hub"}`)
	first := read[view.EntityList](w.call(w.alice, "list_entities", `{"spaceId":"`+id+`","limit":5}`))
	if first.Count != 5 || first.Total != 7 || !first.HasMore || first.NextCursor == nil {
		t.Fatalf("first page: got %+v, want five of the seven gates", first.Page)
	}
	equal(t, "gate 0", first.Entities[0].EntityID, model.StaticGateIDs[0])
	last := read[view.EntityList](w.call(w.alice, "list_entities", `{"spaceId":"`+id+`","cursor":"`+*first.NextCursor+`"}`))
	equal(t, "last page", last.Count, 2)
}

// TestEntity_refuses has a row for every tool of entities and the reasons it has.
func TestEntity_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	arguments := func(more string) string { return `{"spaceId":"` + id + `"` + more + `}` }
	const forbidden = "You are not authorized to access this space"
	for _, test := range []struct {
		who             *account
		tool, arguments string
		code            model.Code
		message         string
	}{
		{w.alice, "list_entities", `{"spaceId":"none"}`, model.CodeNotFound, "Space not found"},
		{w.bob, "list_entities", arguments(""), model.CodeForbidden, forbidden},
		{w.alice, "list_entities", arguments(`,"limit":-1`), model.CodeInvalid, "limit must be a whole number of at least 1"},
		{w.alice, "get_entity", arguments(""), model.CodeInvalid, "entity_id is required"},
		{w.alice, "get_entity", arguments(`,"entity_id":"none"`), model.CodeNotFound, "Entity not found"},
		{w.bob, "get_entity", arguments(`,"entity_id":"none"`), model.CodeForbidden, forbidden},
		{w.bob, "create_entity", arguments(""), model.CodeForbidden, forbidden},
		{w.alice, "create_entity", arguments(`,"entity_id":"a b"`), model.CodeInvalid, "entity_id must have 1 to 128 letters, digits, dots, underscores or hyphens"},
		{w.alice, "create_entity", arguments(`,"entity_data":"{}"`), model.CodeInvalid, "entity_data must be an object"},
		{w.alice, "create_entity", arguments(`,"entity_type":"Gate"`), model.CodeInvalid, model.GateNotCreatable},
		{w.alice, "create_entity", arguments(`,"entity_type":"DynamicGate"`), model.CodeInvalid, "entity_data.dynamicGate is required for a DynamicGate and must be an object"},
		{w.alice, "update_entity", arguments(`,"entity_id":"a"`), model.CodeInvalid, "entity_data is required and must be an object"},
		{w.alice, "update_entity", arguments(`,"entity_id":"a","entity_data":{}`), model.CodeNotFound, "Entity not found"},
		{w.bob, "update_entity", arguments(`,"entity_id":"a","entity_data":{}`), model.CodeForbidden, forbidden},
		{w.alice, "delete_entity", arguments(`,"entity_id":"none"`), model.CodeNotFound, "Entity not found"},
		{w.alice, "delete_entity", arguments(`,"entity_id":"RoomInfo"`), model.CodeInvalid, "entity_id: RoomInfo cannot be deleted"},
		{w.bob, "delete_entity", arguments(`,"entity_id":"none"`), model.CodeForbidden, forbidden},
	} {
		t.Run(test.tool+" "+test.arguments, func(t *testing.T) {
			t.Parallel()
			w.call(test.who, test.tool, test.arguments).refused(test.code, test.message)
		})
	}
}

// Agents copy the examples of the schemas, so the test runs them.
func TestExamples_of_the_schemas_work(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{"space_type":"hub"}`)
	for _, example := range entityDataExamples() {
		data, kind := string(example.(json.RawMessage)), "Simple"
		if strings.Contains(data, "dynamicGate") {
			kind = model.TypeDynamicGate
		}
		got := read[createdEntityOutput](w.call(w.alice, "create_entity", `{"spaceId":"`+id+`","entity_id":"`+kind+`","entity_type":"`+kind+`","entity_data":`+data+`}`))
		equal(t, "type", got.EntityType, kind)
	}
	for _, example := range entityChangeExamples() {
		data, entity := string(example.(json.RawMessage)), model.StaticGateIDs[0]
		if strings.Contains(data, "position") {
			entity = "Simple"
		}
		if strings.Contains(data, "dynamicGate") {
			entity = model.TypeDynamicGate
		}
		read[view.Entity](w.call(w.alice, "update_entity", `{"spaceId":"`+id+`","entity_id":"`+entity+`","entity_data":`+data+`}`))
	}
}
