package mcp

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"portico/model"
)

// fieldRoomPrivacy is the argument of update_space_privacy for whose absence the API has its own
// error.
const fieldRoomPrivacy = "roomPrivacy"

// decode reads the arguments of a tool into the struct that in points at. As in REST, names match
// exactly, unknown fields are ignored, and a field that is null is treated as omitted.
//
// The SDK would validate the arguments by the schema, with texts of its own. Here a wrong argument
// gets the text that REST has for it.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, in any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil {
		return model.Invalidf("arguments must be an object")
	}
	if err := model.CheckSurrogates("arguments", arguments); err != nil {
		return err
	}
	for _, name := range schema.Required {
		if name == fieldRoomPrivacy {
			continue // the resolver returns the text of API section 7
		}
		if value := fields[name]; value == nil || string(value) == "null" {
			return model.InvalidField(name, "is required")
		}
	}
	return model.Decode(model.Object(arguments), "", in)
}
