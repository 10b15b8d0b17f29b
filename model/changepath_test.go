package model

import (
	"strings"
	"testing"
)

func TestParseChangePath_knows_what_belongs_to_a_space(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ChangePath{
		"space/room.json":              {EntityID: RoomInfoID},
		"space/entities/chair.v2.json": {EntityID: "chair.v2"},
		"space/plugins/door.mjs":       {File: "plugins/door.mjs"},
		"space/plugins/door":           {File: "plugins/door"},
		"space/plugins/door/index.mjs": {File: "plugins/door", Inner: "index.mjs"},
		"space/plugins/d.v2/lib/a.mjs": {File: "plugins/d.v2", Inner: "lib/a.mjs"},
		"space/assets/wood.png":        {File: "assets/wood.png"},
		"space/README.md":              {},
		"notes/todo.txt":               {},
		"...":                          {},
		strings.Repeat("a", maxPath):   {},
	} {
		got, err := ParseChangePath(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseChangePath_refuses_what_leads_elsewhere(t *testing.T) {
	t.Parallel()
	const length, text, separator = "The path must have 1 to 400 bytes", "The path must be text without control characters",
		"The path must not contain backslashes or colons"
	const form = "The path must be relative, without empty, . and .. parts"
	for _, test := range []struct{ path, want string }{
		{"", length},
		{strings.Repeat("a", maxPath+1), length},
		{"space/\x00", text},
		{"space/assets/a\n.png", text},
		{"space/\xff.json", text},
		{`space\room.json`, separator},
		{"C:/space/room.json", separator},
		{"/space/room.json", form},
		{"..", form},
		{"../space/room.json", form},
		{"space/../../room.json", form},
		{"space//room.json", form},
		{"./space/room.json", form},
		{"space/entities/", form},
	} {
		_, err := ParseChangePath(test.path)
		checkInvalid(t, err, test.want)
	}
}

func TestParseChangePath_refuses_names_that_a_space_cannot_have(t *testing.T) {
	t.Parallel()
	const entity = "The file of an entity is named after its id, which has 1 to 128 letters, digits, dots, underscores or hyphens, and .json"
	const plugin, asset = "A plugin is a .mjs file, or a folder whose name does not end in .mjs", "Assets are files directly in space/assets"
	for _, test := range []struct{ path, want string }{
		{"space/entities/chair.txt", entity},
		{"space/entities/.json", entity},
		{"space/entities/a b.json", entity},
		{"space/entities/folder/chair.json", entity},
		{"space/entities/" + strings.Repeat("a", 129) + ".json", entity},
		{"space/entities/" + RoomInfoID + ".json", entity},
		{"space/plugins/door.MJS", plugin},
		{"space/plugins/door.mjs/index.mjs", plugin},
		{"space/plugins/.door", "Names in a plugin folder must not start with a dot: .door"},
		{"space/plugins/door/lib/..a", "Names in a plugin folder must not start with a dot: ..a"},
		{"space/assets/textures/wood.png", asset},
	} {
		_, err := ParseChangePath(test.path)
		checkInvalid(t, err, test.want)
	}
}

// What the server writes into a workspace, a client can send back.
func TestEntityPath_is_parsed_to_the_same_entity(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"chair", RoomInfoID} {
		got, err := ParseChangePath(EntityPath(id))
		if err != nil || got.EntityID != id {
			t.Errorf("%s: got %+v, %v, want this entity", EntityPath(id), got, err)
		}
	}
}
