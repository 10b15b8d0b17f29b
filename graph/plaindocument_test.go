package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// documentGenerator makes random documents of a schema. Most are valid.
type documentGenerator struct {
	schema *ast.Schema
	random *rand.Rand
	ids    []string

	aliases int
	uses    map[string]bool // the variables of the document
}

// failing are mutations that change nothing with the ids of the generator, which are not the ones
// that they need, or belong to nobody.
const failing = "deleteSpace updateSpace updateSpacePrivacy deleteEntity updateEntity cancelJob deleteFile markNotificationsRead"

// document returns a query, or rarely a mutation that fails.
func (g *documentGenerator) document() string {
	g.aliases, g.uses = 0, map[string]bool{}
	var kind, body string
	if g.random.IntN(10) > 0 {
		kind, body = "query", g.selection(g.schema.Query, 5)
	} else {
		kind, body = "mutation", g.mutations()
	}
	var variables []string
	for _, name := range []string{"yes", "no"} {
		if g.uses[name] {
			variables = append(variables, "$"+name+": Boolean!")
		}
	}
	head := ""
	if len(variables) > 0 {
		head = "(" + strings.Join(variables, ", ") + ")"
	}
	return kind + head + " " + body
}

func (g *documentGenerator) mutations() string {
	ids := g.ids
	g.ids = []string{"none", ""}
	defer func() { g.ids = ids }()
	var fields []string
	for _, name := range strings.Fields(failing) {
		if field := g.schema.Mutation.Fields.ForName(name); field != nil && g.random.IntN(4) == 0 {
			fields = append(fields, g.field(field, 3))
		}
	}
	return "{ __typename " + strings.Join(fields, " ") + " }"
}

// selection returns some of the fields of a type, in braces.
func (g *documentGenerator) selection(of *ast.Definition, depth int) string {
	fields := []string{"__typename"}
	if g.random.IntN(3) > 0 {
		fields = nil
	}
	for range 1 + g.random.IntN(4) {
		if len(of.Fields) == 0 {
			break
		}
		if text := g.field(of.Fields[g.random.IntN(len(of.Fields))], depth); text != "" {
			fields = append(fields, text)
		}
	}
	if of.IsAbstractType() || g.random.IntN(6) == 0 {
		for _, possible := range g.schema.GetPossibleTypes(of) {
			if depth > 1 && g.random.IntN(2) == 0 {
				fields = append(fields, "... on "+possible.Name+g.directive()+" "+g.selection(possible, depth-1))
			}
		}
	}
	if len(fields) == 0 {
		fields = []string{"__typename"}
	}
	return "{ " + strings.Join(fields, " ") + " }"
}

// field returns a field with its arguments and its own fields; empty if the document would become
// too deep.
func (g *documentGenerator) field(field *ast.FieldDefinition, depth int) string {
	fieldType := g.schema.Types[field.Type.Name()]
	if strings.HasPrefix(field.Name, "__") || (fieldType.IsCompositeType() && depth == 0) {
		return ""
	}
	var arguments []string
	for _, argument := range field.Arguments {
		required := argument.Type.NonNull && argument.DefaultValue == nil
		if required || g.random.IntN(4) == 0 {
			arguments = append(arguments, argument.Name+": "+g.value(argument.Type, 3))
		}
	}
	g.aliases++
	text := fmt.Sprintf("f%d: %s", g.aliases, field.Name)
	if len(arguments) > 0 {
		text += "(" + strings.Join(arguments, ", ") + ")"
	}
	text += g.directive()
	if fieldType.IsCompositeType() {
		text += " " + g.selection(fieldType, depth-1)
	}
	return text
}

// directive returns a condition, mostly none.
func (g *documentGenerator) directive() string {
	if g.random.IntN(12) > 0 {
		return ""
	}
	name := []string{"yes", "no"}[g.random.IntN(2)]
	g.uses[name] = true
	return fmt.Sprintf(" @%s(if: $%s)", []string{"skip", "include"}[g.random.IntN(2)], name)
}

// value returns a literal of the type, within depth.
func (g *documentGenerator) value(of *ast.Type, depth int) string {
	if !of.NonNull && (depth == 0 || g.random.IntN(10) == 0) {
		return "null"
	}
	if of.Elem != nil {
		var values []string
		for range g.random.IntN(3) {
			values = append(values, g.value(of.Elem, depth))
		}
		return "[" + strings.Join(values, ", ") + "]"
	}
	pick := func(values ...string) string { return values[g.random.IntN(len(values))] }
	switch name := of.Name(); name {
	case "ID":
		return fmt.Sprintf("%q", pick(g.ids...))
	case "Int", "Int64", "Float":
		return pick("-1", "0", "1", "2", "50", "1000")
	case "Boolean":
		return pick("true", "false")
	case "DateTime":
		return pick(`"2026-01-27T09:30:00.000Z"`, `"yesterday"`)
	case "JSON":
		return pick(`{a: 1}`, `{}`, `[]`)
	case "String", "URL":
		return pick(`"a"`, `""`, `"Untitled"`, `"https://portico.example/1/a.glb"`)
	default:
		return g.composite(g.schema.Types[name], depth)
	}
}

// composite returns a literal of an enumeration or of an input type.
func (g *documentGenerator) composite(of *ast.Definition, depth int) string {
	if of.Kind == ast.Enum {
		return of.EnumValues[g.random.IntN(len(of.EnumValues))].Name
	}
	fields := slices.Clone(of.Fields)
	g.random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	var values []string
	for _, field := range fields {
		required := field.Type.NonNull && field.DefaultValue == nil
		if required || g.random.IntN(3) == 0 {
			values = append(values, field.Name+": "+g.value(field.Type, depth-1))
		}
	}
	return "{" + strings.Join(values, ", ") + "}"
}
