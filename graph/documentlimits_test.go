package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"portico/graph/door"
	"portico/graph/limits"
	"portico/model"
)

// documentLimit is a document, and the code and the message of its refusal; "" for a response.
type documentLimit struct{ name, query, code, message string }

func TestLimits_refuse_harmful_documents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, test := range append(limitsOfShape(), limitsOfCost()...) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, response := w.ask(w.alice, request(test.query, nil))
			got := read(t, response)
			if test.code == "" {
				if len(got.Errors) != 0 {
					t.Errorf("response: got %.500s, want no errors", response)
				}
				return
			}
			if len(got.Errors) == 0 {
				t.Fatalf("response: got %.500s, want code %q", response, test.code)
			}
			for _, e := range got.Errors {
				equal(t, "code", e.Extensions["code"], any(test.code))
			}
			if test.message != "" {
				equal(t, "message", got.Errors[0].Message, test.message)
			}
		})
	}
}

// limitsOfShape are documents at the limits of length, depth, aliases and fragments.
func limitsOfShape() []documentLimit {
	aliases := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: __typename ", i)
		}
		return "{" + b.String() + "}"
	}
	// A field of the schema that nests in itself is found in introspection only.
	deep := func(n int) string {
		return "{ __type(name: \"Job\") { " + strings.Repeat("ofType { ", n-2) + "name" + strings.Repeat(" }", n-2) + " } }"
	}
	return []documentLimit{
		{"8,000 fields", "{" + strings.Repeat(distinct(100), 80) + "}", "GRAPHQL_PARSE_FAILED", "exceeded token limit of 2000"},
		{"a long text", "{ __typename }" + strings.Repeat("#", limits.MaxDocument), "INVALID", "The document is longer than 32768 bytes; send data as variables"},
		{"the most repeated fields", "{" + strings.Repeat(" __typename", limits.MaxRepeats) + "}", "", ""},
		{"too many repeated fields", "{" + strings.Repeat(" __typename", limits.MaxRepeats+1) + "}", "INVALID", "The document has one name more than 400 times"},
		{"names in a text and in comments", strings.Repeat("#x\n", 500) + "{ space(id: \"" + strings.Repeat("x ", 500) + "\") { id } }", "NOT_FOUND", ""},
		{"the deepest", deep(limits.MaxDepth), "", ""},
		{"too deep", deep(limits.MaxDepth + 1), "INVALID", "The document is nested deeper than 20 fields"},
		{"the most aliases", aliases(limits.MaxAliases), "", ""},
		{"too many aliases", aliases(limits.MaxAliases + 1), "INVALID", "The document has more than 30 aliases"},
		{"aliases in fragments", "{ ...a ...b } fragment a on Query " + aliases(20) + " fragment b on Query " + renamed(aliases(20)), "INVALID", "The document has more than 30 aliases"},
		{"fragments that multiply", fragments(60), "INVALID", "The document has more than 5000 fields, counted through its fragments"},
		{"a fragment that contains itself", "{ ...a } fragment a on Query { __typename ...a }", "GRAPHQL_VALIDATION_FAILED", ""},
		{"fragments that contain each other", "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }", "GRAPHQL_VALIDATION_FAILED", ""},
		{"nested introspection", `{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }`, "GRAPHQL_VALIDATION_FAILED", ""},
	}
}

// limitsOfCost are documents at the limit of the rows that they can select.
func limitsOfCost() []documentLimit {
	const full = "{ id entityId version type data state createdAt changedAt }"
	spaces := func(spaces, entities int) string {
		return fmt.Sprintf("{ spaces(first: %d) { nodes { id title entities(first: %d) { nodes %s } } } }", spaces, entities, full)
	}
	return []documentLimit{
		{"a page of 50 with pages of 50", spaces(50, 50), "", ""},
		{"a page of pages of 200", "{ spaces(first: 200) { nodes { entities(first: 200) { nodes { id } } } } }", "COMPLEXITY_LIMIT_EXCEEDED", ""},
		{"three lists of pages of 50", "{ a: " + inner(spaces(50, 50)) + " b: " + inner(spaces(50, 50)) + " c: " + inner(spaces(50, 50)) + " }", "COMPLEXITY_LIMIT_EXCEEDED", ""},
		{"a page of 50 public spaces with pages of 50", strings.Replace(spaces(50, 50), "spaces", "publicSpaces", 1), "", ""},
		{"a page of public pages of 200", "{ publicSpaces(first: 200) { nodes { entities(first: 200) { nodes { id } } } } }", "COMPLEXITY_LIMIT_EXCEEDED", ""},
		{"a user's pages of 200", `{ user(id: "1") { spaces(first: 200) { nodes { entities(first: 200) { nodes { id } } } } } }`, "COMPLEXITY_LIMIT_EXCEEDED", ""},
		{"notifications with pages of 200", "{ notifications(first: 200) { nodes { space { entities(first: 200) { nodes { id } } } } } }", "COMPLEXITY_LIMIT_EXCEEDED", ""},
		{"50 notifications with their spaces", "{ notifications { nodes { id type createdAt space { id title url visitCount } } } }", "", ""},
		{"a negative page", "{ spaces(first: -5) { totalCount } }", "INVALID", "first must be between 1 and 200"},
	}
}

// distinct returns n fields of different names.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " f%d", i)
	}
	return b.String()
}

// renamed gives the aliases of a document other names.
func renamed(query string) string { return strings.NewReplacer("{a", "{b", " a", " b").Replace(query) }

// inner returns a document without its braces.
func inner(query string) string { return strings.TrimSuffix(strings.TrimPrefix(query, "{"), "}") }

// fragments returns a document of n fragments that spread the next one twice.
func fragments(n int) string {
	var b strings.Builder
	b.WriteString("{ ...f0 }")
	for i := range n - 1 {
		fmt.Fprintf(&b, " fragment f%d on Query { ...f%d ...f%d }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment f%d on Query { __typename }", n-1)
	return b.String()
}

// TestLimits_stop_counting checks that the cost of a document is limited, however large it is after
// its fragments are expanded.
func TestLimits_stop_counting(t *testing.T) {
	t.Parallel()
	schema := door.NewExecutableSchema(door.Config{}).Schema()
	document, errs := gqlparser.LoadQueryWithRules(schema, fragments(60), rules.NewDefaultRules())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	m := limits.DocumentShape{Aliases: map[*ast.Field]struct{}{}}
	m.Selections(document.Operations[0].SelectionSet, 1)
	if m.Fields > limits.MaxFields+60 {
		t.Errorf("steps: got %d, want at most %d", m.Fields, limits.MaxFields+60)
	}
	if err := (limits.ShapeLimit{}).MutateOperationContext(context.Background(), &graphql.OperationContext{Operation: document.Operations[0]}); err == nil {
		t.Error("got no error, want a refusal")
	}
}

func TestComplexity_of_lists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		query     string
		variables map[string]any
		want      int
	}{
		{`{ spaces { totalCount } }`, nil, 1 + model.DefaultPageSize},
		{`{ spaces(first: 10) { totalCount } }`, nil, 11},
		{`{ spaces(last: 10) { totalCount } }`, nil, 11},
		{`{ spaces(first: 0) { totalCount } }`, nil, 2},
		{`{ spaces(first: 2147483647) { totalCount } }`, nil, 1 + model.MaxPageSize},
		{`query ($n: Int!) { spaces(first: $n) { totalCount } }`, map[string]any{"n": json.Number("3")}, 4},
		{`query ($n: Int) { spaces(first: $n) { totalCount } }`, nil, 1 + model.DefaultPageSize},
		{`{ nodes(ids: ["a", "b"]) { id __typename } }`, nil, 5},
		{`{ nodes(ids: "a") { id __typename } }`, nil, 3},
		{`{ space(id: "a") { title a: title b: title } }`, nil, 1 + 1 + 4 + 9},
		{`{ space(id: "a") { title } ... on Query { space(id: "a") { title } } }`, nil, 4},
		{`{ a: space(id: "a") { title } b: space(id: "a") { title } c: space(id: "c") { title } }`, nil, 2 + 8 + 2},
		// More than an integer holds.
		{nestedLists(), nil, math.MaxInt},
	} {
		schema := door.NewExecutableSchema(door.Config{}).Schema()
		document, errs := gqlparser.LoadQueryWithRules(schema, test.query, rules.NewDefaultRules())
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		sum := limits.ComplexitySum{Variables: test.variables}
		equal(t, test.query, sum.Selections(document.Operations[0].SelectionSet, &limits.AliasTree{}), test.want)
	}
}

// TestComplexity_covers_all_lists checks that the lists of the schema are recognised by their
// types, and have the arguments that limit them.
func TestComplexity_covers_all_lists(t *testing.T) {
	t.Parallel()
	lists := 0
	for name, definition := range door.NewExecutableSchema(door.Config{}).Schema().Types {
		for _, field := range definition.Fields {
			hasFirst := field.Arguments.ForName("first") != nil && field.Arguments.ForName("last") != nil
			equal(t, name+"."+field.Name, limits.IsConnection(&ast.Field{Definition: field}), hasFirst)
			if hasFirst {
				lists++
			}
		}
	}
	if lists < 10 {
		t.Errorf("lists: got %d, want 10 or more", lists)
	}
}

// nestedLists returns a document of lists in lists, as deep as limits.MaxDepth allows, with many
// aliases in the innermost one.
func nestedLists() string {
	const lists = 6
	var b strings.Builder
	b.WriteString("{ publicSpaces(first: 200) { nodes { owner {")
	for range lists - 1 {
		b.WriteString(" spaces(first: 200) { nodes { owner {")
	}
	b.WriteString(" spaces(first: 200) {")
	for i := range limits.MaxAliases {
		fmt.Fprintf(&b, " a%d: totalCount", i)
	}
	b.WriteString(" }" + strings.Repeat(" } } }", lists) + " }")
	return b.String()
}

// TestExplorer_passes checks that the first query of explorers is within every limit, and that its
// response describes the schema.
func TestExplorer_passes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	query, err := os.ReadFile("testdata/introspection.graphql")
	check(t, err)
	response := w.query(account{}, string(query), nil)
	for _, word := range []string{`"name":"updateSpacePrivacy"`, `"name":"LINK_ONLY"`, `"description":"A file of the caller."`} {
		if !strings.Contains(response, word) {
			t.Errorf("response: got %.200s..., want %s in it", response, word)
		}
	}
}
