package mcp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"portico/model"
)

// pageSize is how many items a page has.
type pageSize int

// UnmarshalJSON reads what is no whole number as 0, which the resolver refuses
// after it has looked for the space, as in REST. A number too large for an int
// means the maximum.
func (s *pageSize) UnmarshalJSON(b []byte) error {
	size, err := strconv.Atoi(string(b)) // out of range: the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		size = 0
	}
	*s = pageSize(size)
	return nil
}

// typeSchemas are the schemas of types that say more than their Go kind.
func typeSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[model.Object]():    {Type: "object"},
		reflect.TypeFor[model.Time]():      {Type: "string", Format: "date-time"},
		reflect.TypeFor[model.SpaceType](): oneOf(model.SpaceInfinite, model.SpaceHub),
		reflect.TypeFor[model.Privacy]():   oneOf(model.Public, model.Private, model.LinkOnly),
		// Both ways to say it are taken, and answered the short way (contract, Spaces).
		reflect.TypeFor[model.PrivacyWord](): oneOf("Open", "Closed", model.LinkOnly, model.Public, model.Private),
		reflect.TypeFor[model.Plan]():        oneOf(model.PlanFree, model.PlanPro),
		reflect.TypeFor[model.JobType]():     oneOf(model.JobZip, model.JobFile),
		reflect.TypeFor[model.JobStatus]():   oneOf(model.JobQueued, model.JobProcessing, model.JobCompleted, model.JobFailed),
		reflect.TypeFor[model.FileFormat](): oneOf(
			model.FormatLCC, model.FormatLCC2, model.FormatSOG, model.FormatStreamedSOG, model.FormatSPZ,
			model.FormatSplat, model.FormatKSplat, model.FormatPLY, model.FormatCompressedPLY, model.FormatMeshPLY, model.FormatGLB, model.FormatGLTF,
			model.FormatJPEG, model.FormatPNG, model.FormatGIF, model.FormatWebP, model.FormatOther, model.FormatInvalid,
		),
		reflect.TypeFor[model.ConversionTarget](): oneOf(model.ConvertToSOG, model.ConvertToStreamedSOG),
		reflect.TypeFor[model.Bounds](): {Type: "object", Properties: map[string]*jsonschema.Schema{
			"min": corner("The corner with the smallest coordinates: x, y, z."),
			"max": corner("The corner with the largest coordinates: x, y, z."),
		}},
		reflect.TypeFor[uploadStatus](): oneOf(uploadConfirmed, uploadProcessing, uploadFailed),
		reflect.TypeFor[pageSize](): {
			Type: "integer", Minimum: new(1.0), Default: json.RawMessage(strconv.Itoa(model.DefaultPageSize)),
		},
	}
}

// corner is the schema of a point in space.
func corner(description string) *jsonschema.Schema {
	number := &jsonschema.Schema{Type: "number", Description: "A coordinate."}
	return &jsonschema.Schema{
		Type: "array", Description: description, Items: number, MinItems: new(3), MaxItems: new(3),
	}
}

// oneOf is the schema of an enumeration.
func oneOf[T ~string](words ...T) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, word := range words {
		schema.Enum = append(schema.Enum, string(word))
	}
	return schema
}

func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: typeSchemas()})
	if err != nil {
		panic("mcp: schema of " + err.Error()) // a programmer's mistake: the types are ours
	}
	return schema
}

// inputSchema returns the schema of a tool's arguments.
func inputSchema[T any](examples map[string][]any) *jsonschema.Schema {
	schema := schemaOf[T]()
	// Null is taken for a field that is left out, but nobody needs to know: some
	// models do not accept a field of two types.
	loosen(schema, func(s *jsonschema.Schema) bool { return true })
	for name, values := range examples {
		schema.Properties[name].Examples = values
	}
	return schema
}

// outputSchema returns the schema of a tool's structured result.
func outputSchema[T any]() *jsonschema.Schema {
	schema := schemaOf[T]()
	// Our lists are never null, what Go's types do not say.
	loosen(schema, func(s *jsonschema.Schema) bool { return s.Items != nil })
	return schema
}

// loosen takes null away from the schemas that never is true of, and allows
// fields that are not listed: spaces and entities have fields of their clients,
// and a client that knows an older schema must read a newer answer.
func loosen(schema *jsonschema.Schema, never func(*jsonschema.Schema) bool) {
	schema.AdditionalProperties = nil
	if len(schema.Types) == 2 && never(schema) {
		schema.Type, schema.Types = schema.Types[1], nil
	}
	if schema.Items != nil {
		loosen(schema.Items, never)
	}
	for _, property := range schema.Properties {
		loosen(property, never)
	}
}
