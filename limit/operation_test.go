package limit

import (
	"os"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestScopeOf_knows_every_root_field(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../schema.graphqls")
	check(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	check(t, err)
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		if root == nil || len(root.Fields) == 0 {
			t.Fatalf("root type: got none, want one with fields")
		}
		for _, field := range root.Fields {
			scope, known := scopeOf(field.Name)
			if !known && field.Name[0] != '_' {
				t.Errorf("%s.%s: got no scope, want one in scopeOf", root.Name, field.Name)
			}
			if defaultLimits()[scope] == 0 {
				t.Errorf("%s: got scope %q, want one of the default limits", field.Name, scope)
			}
		}
	}
}

func TestScopeOf_matches_API_section_8(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]Scope{
		"createUpload":       Upload,
		"completeUpload":     UploadComplete,
		"job":                Job,
		"jobs":               All,
		"cancelJob":          All,
		"createSpace":        CreateSpace,
		"updateSpace":        All,
		"moveInSpace":        Move,
		"generateApiKey":     Key,
		"revokeApiKey":       Key,
		"updateSpacePrivacy": UpdatePrivacy,
		"entity":             Entities,
		"entities":           Entities,
		"createEntity":       Entities,
		"updateEntity":       Entities,
		"deleteEntity":       Entities,
		"__schema":           All,
		"nothing":            All,
		"":                   All,
	} {
		if got := ScopeOf(operation); got != want {
			t.Errorf("ScopeOf(%q): got %q, want %q", operation, got, want)
		}
	}
}
