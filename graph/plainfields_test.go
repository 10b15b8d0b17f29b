package graph

import (
	"slices"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// The fields of plain selections are those that gqlgen collects; other selections are left to
// gqlgen.
func TestPlainFields(t *testing.T) {
	t.Parallel()
	schema := newSchema(&Resolver{}).Schema()
	for _, test := range []struct {
		name, selection string
		isPlain         bool
	}{
		{"one field", `{ id }`, true},
		{"fields and aliases", `{ id title name: title owner { id name } owners: owner { id } }`, true},
		{"a field twice", `{ title id title }`, false},
		{"two selections of one object", `{ owner { id } owner { name } }`, false},
		{"a condition", `{ id title @skip(if: true) }`, false},
		{"a fragment", `{ id ... { title } }`, false},
		{"a fragment by its type", `{ ... on Node { id } }`, false},
		{"a named fragment", `{ id ...titled }`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := `{ space(id: "s") ` + test.selection + ` } `
			if test.name == "a named fragment" {
				text += `fragment titled on Space { title }`
			}
			document, errs := gqlparser.LoadQueryWithRules(schema, text, rules.NewDefaultRules())
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			operation := document.Operations[0]
			space, _ := operation.SelectionSet[0].(*ast.Field)
			got := plainFields(space.SelectionSet)
			if isPlain := got != nil; isPlain != test.isPlain {
				t.Fatalf("plain: got %t, want %t", isPlain, test.isPlain)
			}
			want := graphql.CollectFields(&graphql.OperationContext{Doc: document, Operation: operation}, space.SelectionSet, spaceImplementors)
			if test.isPlain && !slices.EqualFunc(got, want, isSameField) {
				t.Errorf("fields: got %+v, want %+v", got, want)
			}
		})
	}
}

func isSameField(a, b graphql.CollectedField) bool {
	return a.Field == b.Field && slices.Equal(a.Selections, b.Selections) &&
		a.IsNonDeferrable == b.IsNonDeferrable && len(a.Deferrables) == len(b.Deferrables)
}
