package graph_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"portico/graph/door"
)

// TestSchema_is_described checks that everything in the schema has a description.
func TestSchema_is_described(t *testing.T) {
	t.Parallel()
	schema := door.NewExecutableSchema(door.Config{}).Schema()
	for name, definition := range schema.Types {
		if definition.BuiltIn || strings.HasPrefix(name, "__") {
			continue
		}
		described(t, name, definition.Description)
		for _, field := range definition.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			described(t, name+"."+field.Name, field.Description)
			for _, argument := range field.Arguments {
				described(t, name+"."+field.Name+"("+argument.Name+")", argument.Description)
			}
		}
		for _, value := range definition.EnumValues {
			described(t, name+"."+value.Name, value.Description)
		}
	}
}

func described(t *testing.T, name, description string) {
	t.Helper()
	switch {
	case strings.TrimSpace(description) == "":
		t.Errorf("%s: got no description, want one", name)
	case !strings.HasSuffix(description, "."):
		t.Errorf("%s: got %q, want whole sentences", name, description)
	}
}

// The test checks the names of the operations.
func TestSchema_has_every_operation(t *testing.T) {
	t.Parallel()
	schema := door.NewExecutableSchema(door.Config{}).Schema()
	for _, test := range []struct {
		root *ast.Definition
		want string
	}{
		{schema.Query, "viewer space spaces publicSpaces entity file files job jobs notifications user"},
		{schema.Mutation, "createUpload completeUpload convertFile updateFile deleteFile cancelJob createSpace updateSpace deleteSpace updateSpacePrivacy createEntity updateEntity deleteEntity followUser unfollowUser"},
		{schema.Subscription, "job jobs space notifications"},
	} {
		for _, name := range strings.Fields(test.want) {
			if test.root.Fields.ForName(name) == nil {
				t.Errorf("%s.%s: got no such field, want one", test.root.Name, name)
			}
		}
	}
}

// Clients must not find @defer in the schema, because no transport supports it.
func TestSchema_has_no_defer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.query(w.alice, `{ __schema { directives { name } } }`, nil)
	if strings.Contains(got, `"defer"`) || !strings.Contains(got, `"include"`) {
		t.Errorf("directives: got %s, want the directives of GraphQL", got)
	}
	_, message := w.refused(w.alice, request(`{ viewer { id ... @defer { name } } }`, nil))
	equal(t, "message", message, `Unknown directive "@defer".`)
}
