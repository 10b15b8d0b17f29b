package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"portico/model"
)

// fieldRoomPrivacy is the argument of update_space_privacy for whose absence the API has its own
// error.
const fieldRoomPrivacy = "roomPrivacy"

// decode reads the arguments of a tool into the struct that in points at. As in REST, names match
// exactly, unknown fields are ignored, and a field that is null is treated as omitted. Unlike in
// REST, entityId is understood as entity_id, and space_id as spaceId: the names of the API are in
// both spellings, and agents mix them.
//
// The SDK would validate the arguments by the schema, with texts of its own. Here a wrong argument
// gets the text that REST has for it.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, in any) error {
	if len(arguments) == 0 || isNull(arguments) {
		arguments = json.RawMessage("{}")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil {
		return model.Invalidf("arguments must be an object")
	}
	if err := model.CheckSurrogates("arguments", arguments); err != nil {
		return err
	}
	renamed, err := useSchemaNames(fields, schema)
	if err == nil {
		err = checkRequired(fields, schema)
	}
	if err == nil && renamed {
		arguments, err = encode(fields)
	}
	if err != nil {
		return err
	}
	return model.Decode(model.Object(arguments), "", in)
}

// checkRequired refuses arguments without a required one.
func checkRequired(fields map[string]json.RawMessage, schema *jsonschema.Schema) error {
	for _, name := range schema.Required {
		if name == fieldRoomPrivacy || !isNull(fields[name]) { // the resolver returns the text of API section 7
			continue
		}
		if schema.Properties[name].Type == "object" {
			return model.InvalidField(name, "is required and must be an object")
		}
		return model.InvalidField(name, "is required")
	}
	return nil
}

// useSchemaNames gives the fields of an object their names in the schema, and reports whether it
// changed one. The objects of clients, such as entity_data, have no fields in the schema and stay as
// they are.
func useSchemaNames(fields map[string]json.RawMessage, schema *jsonschema.Schema) (renamed bool, err error) {
	for name, property := range schema.Properties {
		value, other := fields[name], otherSpelling(name)
		changed := isNull(value) && other != name && fields[other] != nil
		if changed {
			value = fields[other]
		}
		value, changedBelow, err := useSchemaNamesBelow(value, property)
		if err != nil {
			return false, err
		}
		if changed || changedBelow {
			fields[name], renamed = value, true
		}
	}
	return renamed, nil
}

// useSchemaNamesBelow is useSchemaNames for the objects in a value.
func useSchemaNamesBelow(raw json.RawMessage, schema *jsonschema.Schema) (value json.RawMessage, renamed bool, err error) {
	kind := byte(0)
	if len(raw) > 0 {
		kind = raw[0]
	}
	switch {
	case kind == '[' && schema.Items != nil && len(schema.Items.Properties) > 0:
		var elements []json.RawMessage
		if err := json.Unmarshal(raw, &elements); err != nil {
			return nil, false, fmt.Errorf("decode a list of arguments: %w", err)
		}
		for i, element := range elements {
			element, changed, err := useSchemaNamesBelow(element, schema.Items)
			if err != nil {
				return nil, false, err
			}
			elements[i], renamed = element, renamed || changed
		}
		return encodeIf(renamed, elements, raw)
	case kind == '{' && len(schema.Properties) > 0:
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, false, fmt.Errorf("decode an argument: %w", err)
		}
		if renamed, err = useSchemaNames(fields, schema); err != nil {
			return nil, false, err
		}
		return encodeIf(renamed, fields, raw)
	}
	return raw, false, nil
}

// encodeIf returns the value as JSON if it was changed, and otherwise the JSON that it was decoded
// from.
func encodeIf(changed bool, value any, raw json.RawMessage) (json.RawMessage, bool, error) {
	if !changed {
		return raw, false, nil
	}
	encoded, err := encode(value)
	return encoded, true, err
}

// otherSpelling returns entityId for entity_id, and space_id for spaceId.
func otherSpelling(name string) string {
	var other strings.Builder
	upper := false
	for _, c := range name {
		switch {
		case c == '_':
			upper = true
			continue
		case upper:
			c, upper = unicode.ToUpper(c), false
		case unicode.IsUpper(c):
			other.WriteByte('_')
			c = unicode.ToLower(c)
		}
		other.WriteRune(c)
	}
	return other.String()
}

// isNull reports whether a value is missing or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
