package operations

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// Field is a field of Query, Mutation or Subscription, or of another object.
type Field struct {
	Kind       ast.Operation // empty for a field of another object
	Name       string
	schema     *ast.Schema
	definition *ast.FieldDefinition
}

// GraphQL returns the fields of the schema in a file, in its order.
func GraphQL(t testing.TB, path string) []Field {
	t.Helper()
	schema := loadSchema(t, path)
	var all []Field
	for _, root := range []struct {
		kind ast.Operation
		*ast.Definition
	}{{ast.Query, schema.Query}, {ast.Mutation, schema.Mutation}, {ast.Subscription, schema.Subscription}} {
		for _, field := range root.Fields {
			if !strings.HasPrefix(field.Name, "__") {
				all = append(all, Field{root.kind, field.Name, schema, field})
			}
		}
	}
	return all
}

// Fields returns the fields of an object of the schema in a file, in its order.
func Fields(t testing.TB, path, object string) []Field {
	t.Helper()
	schema := loadSchema(t, path)
	definition, ok := schema.Types[object]
	if !ok {
		t.Fatalf("%s has no type %s", path, object)
	}
	var all []Field
	for _, field := range definition.Fields {
		all = append(all, Field{Name: field.Name, schema: schema, definition: field})
	}
	return all
}

func loadSchema(t testing.TB, path string) *ast.Schema {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: path, Input: string(text)})
	check(t, err)
	return schema
}

// Document returns a document that selects the field alone, of Query, Mutation or Subscription.
func (f Field) Document(values map[string]any) string {
	return string(f.Kind) + " { " + f.Selection(values) + " }"
}

// Selection returns the selection of the field. Arguments, and fields of inputs, have the values of
// their names. Without a value they are omitted, or have any value of their type if they are
// required. A page is selected by its totalCount, because an empty page is how some fields refuse.
func (f Field) Selection(values map[string]any) string {
	var arguments []string
	for _, argument := range f.definition.Arguments {
		if value := f.valueOf(argument.Name, argument.Type, argument.DefaultValue, values); value != "" {
			arguments = append(arguments, argument.Name+": "+value)
		}
	}
	field := f.Name
	if len(arguments) > 0 {
		field += "(" + strings.Join(arguments, ", ") + ")"
	}
	switch returned := f.schema.Types[f.definition.Type.Name()]; {
	case returned.Fields.ForName("totalCount") != nil:
		field += " { totalCount }"
	case returned.IsCompositeType():
		field += " { __typename }"
	}
	return field
}

// valueOf returns the value of an argument or of a field of an input, or "" to omit it.
func (f Field) valueOf(name string, kind *ast.Type, initial *ast.Value, values map[string]any) string {
	given, ok := values[name]
	if !ok && (!kind.NonNull || initial != nil) {
		return ""
	}
	if kind.Elem != nil {
		return "[" + f.valueOf(name, kind.Elem, nil, values) + "]"
	}
	definition := f.schema.Types[kind.NamedType]
	switch {
	case definition.Kind == ast.Enum && ok:
		return fmt.Sprint(given)
	case definition.Kind == ast.Enum:
		return definition.EnumValues[0].Name
	case definition.Kind == ast.InputObject:
		var fields []string
		for _, field := range definition.Fields {
			if value := f.valueOf(field.Name, field.Type, field.DefaultValue, values); value != "" {
				fields = append(fields, field.Name+": "+value)
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case ok:
		literal, _ := json.Marshal(given) // a text or a number, which GraphQL writes as JSON does
		return string(literal)
	}
	return anyScalar(kind.NamedType)
}

// anyScalar returns a value of a scalar type.
func anyScalar(kind string) string {
	switch kind {
	case "ID", "String":
		return `"x"`
	case "URL":
		return `"https://portico.example/x"`
	case "DateTime":
		return `"2026-01-27T09:30:00.000Z"`
	case "Boolean":
		return "false"
	case "JSON":
		return "{}"
	}
	return "1" // of Int, Int64 and Float
}
