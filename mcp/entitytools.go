package mcp

import (
	"encoding/json"

	"portico/model"
)

// entityDataExamples are a model's data and a gate's. They go through the rules
// of the core in the tests.
func entityDataExamples() []any {
	return []any{
		json.RawMessage(`{"position":[0,1.5,-3],"rotation":{"x":0,"y":90,"z":0},"scale":[2,2,2],"label":"Statue"}`),
		json.RawMessage(`{"title":"Website","link":"https://example.com","platform":"` + model.PlatformExternal + `","openAsTab":true,` +
			`"dynamicGate":{"position":{"x":0,"y":0,"z":-5},"rotation":{"x":0,"y":180,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":false}}`),
	}
}

// entityChangeExamples are changes that leave the rest alone: a model is moved, a
// gate is moved, a static gate is filled and cleared.
func entityChangeExamples() []any {
	return []any{
		json.RawMessage(`{"position":[1,0,2]}`),
		json.RawMessage(`{"dynamicGate":{"position":{"x":2,"y":0,"z":-5}}}`),
		json.RawMessage(`{"title":"Website","link":"https://example.com","videoURL":"https://example.com"}`),
		json.RawMessage(`{"title":"","link":"","description":"","videoURL":"","logoURL":"","logoLinkURL":""}`),
	}
}

// entityTools are the tools of entities.
func (d *door) entityTools() []tool {
	return []tool{
		quick(card{
			name: "list_entities", title: "List entities", effect: reads, operations: []string{"entities"},
			description: "Lists what is in a space, oldest first, page by page: models, media and gates with all their data.",
		}, d.listEntities),
		quick(card{
			name: "get_entity", title: "Get an entity", effect: reads, operations: []string{"entity"},
			description: "Returns one entity of a space with its data, state and dates.",
		}, d.entity),
		quick(card{
			name: "create_entity", title: "Create an entity", effect: puts, operations: []string{"createEntity"},
			description: "Puts a file, a dynamic gate or a bare entity into a space; updates the entity that has the given entity_id already. Positions are in metres, y is up, rotations in degrees.",
			examples:    map[string][]any{"entity_data": entityDataExamples()},
		}, d.createEntity),
		quick(card{
			name: "update_entity", title: "Update an entity", effect: changes, operations: []string{"updateEntity"},
			description: "Changes fields of an entity's data and keeps the others. It is also how the 7 static gates of a hub are filled and cleared. A gate's platform is set from its link.",
			examples:    map[string][]any{"entity_data": entityChangeExamples()},
		}, d.updateEntity),
		quick(card{
			name: "delete_entity", title: "Delete an entity", effect: changes, operations: []string{"deleteEntity"},
			description: "Deletes an entity for good. Never delete a static gate of a hub, which cannot be restored: clear it with update_entity.",
		}, d.deleteEntity),
	}
}
