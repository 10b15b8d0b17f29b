package mcp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"portico/model"
)

// decode reads the arguments of a tool into the struct that in points at. As in
// REST, fields that nobody knows are ignored and null is no value; names are also
// understood with another case or other underscores, since the API itself writes
// both spaceId and entity_id and an agent cannot be blamed for mixing them up.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, in any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &sent); err != nil {
		return model.Invalidf("arguments must be an object")
	}
	fields := rename(sent, schema)
	for _, name := range schema.Required {
		if value := fields[name]; value == nil || string(value) == "null" {
			return model.Invalidf("%s is required", name)
		}
	}
	err := json.Unmarshal(model.NewObject(fields), in)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// Arguments are flat; what comes before the last dot names Go's own structs.
		name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return model.Invalidf("%s must be %s", name, kindOf(wrong.Type))
	}
	return err
}

// rename returns the fields that the schema knows, by the names that it has for
// them. The exact name goes before others that mean the same.
func rename(sent map[string]json.RawMessage, schema *jsonschema.Schema) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	for name := range schema.Properties {
		for other, value := range sent {
			if fold(other) == fold(name) && (other == name || fields[name] == nil) {
				fields[name] = value
			}
		}
	}
	return fields
}

// fold returns what the spellings of a name have in common.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// kindOf says in the words of JSON what a field of the type holds.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	}
	return "an object"
}
