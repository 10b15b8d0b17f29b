package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func parse(t *testing.T, text string) *ast.Schema {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema", Input: text})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestCompare has a row for each kind of change: two types Query, or two schemas.
func TestCompare(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, after string
		want                []string
	}{
		{"nothing", "a: Int", "a: Int", nil},
		{"a description", `"One." a: Int`, `"Two." a: Int`, nil},
		{"a new field", "a: Int", "a: Int b: Int", []string{"safe: `Query.b` was added"}},
		{"a field less", "a: Int b: Int", "a: Int", []string{"breaking: `Query.b` was removed"}},
		{"a deprecated field less", "a: Int b: Int @deprecated", "a: Int", []string{"announced breaking: `Query.b` was removed"}},
		{"a deprecation", "a: Int", `a: Int @deprecated(reason: "Use b.")`, []string{"safe: `Query.a` is deprecated: Use b."}},
		{"another reason", `a: Int @deprecated(reason: "x")`, `a: Int @deprecated(reason: "y")`, []string{"safe: `Query.a` is deprecated for another reason: y"}},
		{"a deprecation less", "a: Int @deprecated", "a: Int", []string{"safe: `Query.a` is not deprecated any more"}},
		{"an answer that may be null", "a: Int!", "a: Int", []string{"breaking: `Query.a` changed its type from `Int!` to `Int`"}},
		{"an answer that is never null", "a: [Int]", "a: [Int!]!", []string{"safe: `Query.a` changed its type from `[Int]` to `[Int!]!`"}},
		{"a list for a value", "a: Int", "a: [Int]", []string{"breaking: `Query.a` changed its type from `Int` to `[Int]`"}},
		{"another type", "a: Int", "a: String", []string{"breaking: `Query.a` changed its type from `Int` to `String`"}},
		{"a member for a union", "a: U } union U = T | V type T { a: Int } type V { a: Int", "a: T } union U = T | V type T { a: Int } type V { a: Int", []string{"safe: `Query.a` changed its type from `U` to `T`"}},
		{"an argument less", "a(x: Int): Int", "a: Int", []string{"breaking: `Query.a(x:)` was removed"}},
		{"a deprecated argument less", "a(x: Int @deprecated): Int", "a: Int", []string{"announced breaking: `Query.a(x:)` was removed"}},
		{"a new argument", "a: Int", "a(x: Int): Int", []string{"dangerous: `Query.a(x:)` was added"}},
		{"a new argument with a default", "a: Int", "a(x: Int! = 1): Int", []string{"dangerous: `Query.a(x:)` was added"}},
		{"a new argument that is required", "a: Int", "a(x: Int!): Int", []string{"breaking: `Query.a(x:)` was added and is required"}},
		{"an argument that becomes required", "a(x: Int): Int", "a(x: Int!): Int", []string{"breaking: `Query.a(x:)` changed its type from `Int` to `Int!`"}},
		{"an argument that becomes optional", "a(x: [Int!]!): Int", "a(x: [Int]): Int", []string{"safe: `Query.a(x:)` changed its type from `[Int!]!` to `[Int]`"}},
		{"another default", "a(x: Int = 1): Int", "a(x: Int = 2): Int", []string{"dangerous: the default of `Query.a(x:)` changed from `1` to `2`"}},
		{"no default", "a(x: Int = 1): Int", "a(x: Int): Int", []string{"dangerous: the default of `Query.a(x:)` changed from `1` to none"}},
		{"values of an enum", "a: E } enum E { A B C @deprecated", "a: E } enum E { A D", []string{"breaking: `E.B` was removed", "announced breaking: `E.C` was removed", "dangerous: `E.D` was added"}},
		{"members of a union", "a: U } union U = T | V type T { a: Int } type V { a: Int", "a: U } union U = T | W type T { a: Int } type V { a: Int } type W { a: Int",
			[]string{"breaking: `U` lost the member `V`", "dangerous: `U` got the member `W`", "safe: type `W` was added"}},
		{"interfaces of a type", "a: T } interface I { a: Int } interface J { a: Int } type T implements I { a: Int", "a: T } interface I { a: Int } interface J { a: Int } type T implements J { a: Int",
			[]string{"breaking: `T` lost the interface `I`", "dangerous: `T` got the interface `J`"}},
		{"fields of an input", "a(x: X): Int } input X { a: Int b: Int c: Int! d: Int = 1", "a(x: X): Int } input X { a: Int! c: Int d: Int = 2 e: Int f: Int!",
			[]string{"breaking: `X.a` changed its type from `Int` to `Int!`", "breaking: `X.b` was removed", "breaking: `X.f` was added and is required",
				"dangerous: `X.e` was added", "dangerous: the default of `X.d` changed from `1` to `2`", "safe: `X.c` changed its type from `Int!` to `Int`"}},
		{"a kind", "a: T } type T { a: Int", "a: T } interface T { a: Int", []string{"breaking: `T` became a type of the kind INTERFACE"}},
		{"a specification", `a: S } scalar S @specifiedBy(url: "x") type T { a: Int`, `a: S } scalar S @specifiedBy(url: "y") type T { a: Int`, []string{"dangerous: the specification of `S` changed from \"x\" to \"y\""}},
		{"a type in use less", "a: T } type T { a: Int", "a: Int", []string{"breaking: `Query.a` changed its type from `T` to `Int`", "breaking: type `T` was removed"}},
		{"a type less with its only field", "a: Int b: T @deprecated } type T { a: V } type V { a: Int", "a: Int",
			[]string{"announced breaking: `Query.b` was removed", "announced breaking: type `T` was removed", "announced breaking: type `V` was removed"}},
		{"directives", "a: Int } directive @x(a: Int) on FIELD | QUERY directive @y on FIELD type T { a: Int", "a: Int } directive @x on FIELD directive @z on FIELD type T { a: Int",
			[]string{"breaking: `@x(a:)` was removed", "breaking: directive `@x` is not allowed on QUERY any more", "breaking: directive `@y` was removed", "safe: directive `@z` was added"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range compare(parse(t, "type Query { "+test.before+" }"), parse(t, "type Query { "+test.after+" }")) {
				line := string(c.level) + ": " + c.text
				if c.announced {
					line = "announced " + line
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changes: (-want +got)\n%s", diff)
			}
		})
	}
}

func TestAnnounced_refuses_to_break_clients_without_a_deprecation(t *testing.T) {
	t.Parallel()
	before := parse(t, "type Query { a: Int b: Int @deprecated c: Int }")
	err := refuseUnannounced(compare(before, parse(t, "type Query { a: Int }")))
	if err == nil || !strings.HasPrefix(err.Error(), "`Query.c` was removed: release it as @deprecated first") || strings.Contains(err.Error(), "Query.b") {
		t.Errorf("error: got %v, want one for c alone", err)
	}
	if err := refuseUnannounced(compare(before, parse(t, "type Query { a: Int c: Int }"))); err != nil {
		t.Errorf("removal of what was deprecated: got %v, want none", err)
	}
}
