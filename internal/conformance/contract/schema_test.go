package contract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// strictness says what an object may hold that its schema does not name.
type strictness string

const (
	// closed is for responses: a field that is not described is a mistake, unless
	// the schema says additionalProperties.
	closed strictness = "closed"
	// open is for requests, whose unknown fields are ignored.
	open strictness = "open"
)

// components is where the document keeps schemas that others refer to.
const components = "#/components/schemas/"

// checkSchema checks a JSON text against a schema of the document: the schemas of
// OpenAPI 3.1 are the keywords of JSON Schema.
func (c contract) checkSchema(t *testing.T, schema any, text []byte, s strictness) {
	t.Helper()
	encoded, err := json.Marshal(object{"$defs": c.definitions, "allOf": []any{rewrite(schema, s)}})
	check(t, err)
	var root jsonschema.Schema
	check(t, json.Unmarshal(encoded, &root))
	resolved, err := root.Resolve(nil)
	check(t, err)
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Errorf("response: got %q, want JSON: %v", text, err)
		return
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("openapi.yaml describes it otherwise: %v\n%s", err, text)
	}
}

// rewrite returns the schema with its references turned to the definitions of
// the strictness. What is put together by allOf is open: each part knows its own
// fields only.
func rewrite(value any, s strictness) any {
	switch value := value.(type) {
	case object:
		return rewriteObject(value, s)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = rewrite(value[i], s)
		}
		return list
	case string:
		if name, ok := strings.CutPrefix(value, components); ok {
			return "#/$defs/" + name + "." + string(s)
		}
	}
	return value
}

func rewriteObject(schema object, s strictness) object {
	rewritten := object{}
	for name, value := range schema {
		inside := s
		if name == "allOf" {
			inside = open
		}
		// An example may hold anything, and none of it is a schema.
		if name != "example" && name != "examples" {
			rewritten[name] = rewrite(value, inside)
		}
	}
	_, fields := schema["properties"].(object)
	if _, said := schema["additionalProperties"]; fields && !said && s == closed {
		rewritten["additionalProperties"] = false
	}
	return rewritten
}
