package mcp

import (
	"encoding/json"

	"portico/model"
)

// entityDataExamples returns the data of an annotation, a tour, a model and a gate. A test creates entities with them,
// so that agents never copy an example that the server refuses.
func entityDataExamples() []any {
	return []any{
		json.RawMessage(`{"title":"Fountain","text":"Built in **1890**.","position":[0,1,-3],"camera":{"position":[0,1.6,2],"target":[0,1,-3]}}`),
		json.RawMessage(`{"title":"A walk","stops":[{"annotation":"fountain","seconds":6,"flight":3}],"autoPlay":false}`),
		json.RawMessage(`{"position":[0,1.5,-3],"rotation":{"x":0,"y":90,"z":0},"scale":[2,2,2],"label":"Statue"}`),
		json.RawMessage(`{"title":"Website","link":"https://example.com","platform":"` + model.PlatformExternal + `","openAsTab":true,` +
			`"dynamicGate":{"position":{"x":0,"y":0,"z":-5},"rotation":{"x":0,"y":180,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":false}}`),
	}
}

// entityChangeExamples returns changes that move a model, move a gate, set a static gate and clear
// it.
func entityChangeExamples() []any {
	return []any{
		json.RawMessage(`{"position":[1,0,2]}`),
		json.RawMessage(`{"dynamicGate":{"position":{"x":2,"y":0,"z":-5}}}`),
		json.RawMessage(`{"title":"Website","link":"https://example.com","videoURL":"https://example.com"}`),
		json.RawMessage(`{"title":"","link":"","description":"","videoURL":"","logoURL":"","logoLinkURL":""}`),
	}
}

func (d *door) entityTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "list_entities", title: "List entities", effect: readsOnly, operations: []string{"entities"},
			description: "Lists what is in a space, oldest first, page by page: models, media and gates with all their data.",
		}, d.ownedEntities),
		newQuickTool(toolSpec{
			name: "get_entity", title: "Get an entity", effect: readsOnly, operations: []string{"entity"},
			description: "Returns one entity of a space with its data, state and dates.",
		}, d.entity),
		newQuickTool(toolSpec{
			name: "create_entity", title: "Create an entity", effect: upserts, operations: []string{"createEntity"},
			description: "Puts a file, a dynamic gate or a bare entity into a space. If an entity has the given entity_id, it is updated. Positions are in metres, y is up, rotations in degrees. An AnnotationEntity is a note at a point, and a TourEntity guides visitors through annotations and views.",
			examples:    map[string][]any{"entity_data": entityDataExamples()},
		}, d.createEntity),
		newQuickTool(toolSpec{
			name: "update_entity", title: "Update an entity", effect: updates, operations: []string{"updateEntity"},
			description: "Changes fields of an entity's data and keeps the others. It also fills and clears the 7 static gates of a hub. A gate's platform is set from its link.",
			examples:    map[string][]any{"entity_data": entityChangeExamples()},
		}, d.updateEntity),
		newQuickTool(toolSpec{
			name: "delete_entity", title: "Delete an entity", effect: updates, operations: []string{"deleteEntity"},
			description: "Deletes an entity permanently. Never delete a static gate of a hub, which cannot be restored: clear it with update_entity.",
		}, d.deleteEntity),
	}
}
