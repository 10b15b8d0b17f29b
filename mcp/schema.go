package mcp

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"portico/model"
)

// pageSize is the maximum number of items of a page.
type pageSize int

// UnmarshalJSON implements json.Unmarshaler.
func (s *pageSize) UnmarshalJSON(b []byte) error {
	*s = pageSize(model.ParseSize(string(b)))
	return nil
}

// typeSchemas returns the schemas of types that are narrower than their Go kind, such as
// enumerations.
func typeSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[model.Object]():    {Type: "object"},
		reflect.TypeFor[model.Time]():      {Type: "string", Format: "date-time"},
		reflect.TypeFor[model.SpaceType](): oneOf(model.SpaceInfinite, model.SpaceHub),
		reflect.TypeFor[model.Privacy]():   oneOf(model.Public, model.Private, model.LinkOnly),
		// Inputs accept both sets of words; responses have the first.
		reflect.TypeFor[model.PrivacyWord]():      oneOf("Open", "Closed", model.LinkOnly, model.Public, model.Private),
		reflect.TypeFor[model.Plan]():             oneOf(model.PlanFree, model.PlanPro),
		reflect.TypeFor[model.JobType]():          oneOf(model.JobZip, model.JobFile),
		reflect.TypeFor[model.JobStatus]():        oneOf(model.JobQueued, model.JobProcessing, model.JobCompleted, model.JobFailed),
		reflect.TypeFor[model.FileFormat]():       oneOf(model.FileFormats()...),
		reflect.TypeFor[model.ConversionTarget](): oneOf(model.UploadTargets()...),
		reflect.TypeFor[fileTarget]():             oneOf(model.ConversionTargets()...),
		reflect.TypeFor[model.Comparison]():       oneOf(model.Less, model.LessOrEqual, model.Greater, model.GreaterOrEqual, model.Equal, model.NotEqual),
		reflect.TypeFor[model.Bounds](): {Type: "object", Properties: map[string]*jsonschema.Schema{
			"min": pointSchema("The corner with the smallest coordinates: x, y, z."),
			"max": pointSchema("The corner with the largest coordinates: x, y, z."),
		}},
		reflect.TypeFor[uploadStatus](): oneOf(uploadConfirmed, uploadProcessing, uploadFailed),
		reflect.TypeFor[pageSize](): {
			Type: "integer", Minimum: new(1.0), Default: json.RawMessage(strconv.Itoa(model.DefaultPageSize)),
		},
	}
}

// pointSchema returns the schema of an array of three coordinates.
func pointSchema(description string) *jsonschema.Schema {
	number := &jsonschema.Schema{Type: "number", Description: "A coordinate."}
	return &jsonschema.Schema{
		Type: "array", Description: description, Items: number, MinItems: new(3), MaxItems: new(3),
	}
}

func oneOf[T ~string](words ...T) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, word := range words {
		schema.Enum = append(schema.Enum, string(word))
	}
	return schema
}

// schemaOf returns the schema of T by its fields and their tags.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: typeSchemas()})
	if err != nil {
		panic("mcp: schema of " + err.Error()) // a mistake in the types of this package; New calls this
	}
	return schema
}

// inputSchema returns the schema of a tool's arguments.
func inputSchema[T any](examples map[string][]any) *jsonschema.Schema {
	schema := schemaOf[T]()
	// The tools accept null for an omitted field, but the schema does not say so: some models cannot
	// use a field with two types.
	allowOtherFields(schema, func(s *jsonschema.Schema) bool { return true })
	for name, values := range examples {
		schema.Properties[name].Examples = values
	}
	return schema
}

// outputSchema returns the schema of a tool's structured result.
func outputSchema[T any]() *jsonschema.Schema {
	schema := schemaOf[T]()
	// A slice in Go may be nil, so its schema allows null. Our slices are never nil.
	allowOtherFields(schema, func(s *jsonschema.Schema) bool { return s.Items != nil })
	return schema
}

// allowOtherFields allows fields that are not in the schema: spaces and entities have fields of
// their clients, and a client with an older schema must accept a newer output. It also removes the
// type null from the schemas for which neverNull returns true.
func allowOtherFields(schema *jsonschema.Schema, neverNull func(*jsonschema.Schema) bool) {
	schema.AdditionalProperties = nil
	if len(schema.Types) == 2 && neverNull(schema) {
		schema.Type, schema.Types = schema.Types[1], nil
	}
	if schema.Items != nil {
		allowOtherFields(schema.Items, neverNull)
	}
	for _, property := range schema.Properties {
		allowOtherFields(property, neverNull)
	}
}
