package rest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// otherResolvers are the resolvers of the handlers that have other names: two routes create a space,
// the lock is a part of the space, and a GET of a space counts a visit.
var otherResolvers = map[string]string{"createUserSpace": "CreateSpace", "spaceLock": "Space", "space": "VisitSpace"}

// method is a method in the source of a package.
type method struct{ file, source string }

// methodsOf returns the methods of the types in a folder, by name.
func methodsOf(t *testing.T, folder string, types ...string) map[string]method {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	check(t, err)
	found := map[string]method{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		check(t, err)
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, path, source, parser.SkipObjectResolution)
		check(t, err)
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Recv == nil {
				continue
			}
			start, end := positions.Position(function.Pos()).Offset, positions.Position(function.End()).Offset
			for _, name := range types {
				if strings.Contains(string(source[start:positions.Position(function.Name.Pos()).Offset]), name+")") {
					found[function.Name.Name] = method{filepath.Base(path), string(source[start:end])}
				}
			}
		}
	}
	return found
}

// TestHandlers_have_the_names_of_their_resolvers leads a reader from a route to its resolver: the
// handler is named after the resolver that it calls, and both are in files of the same name.
func TestHandlers_have_the_names_of_their_resolvers(t *testing.T) {
	t.Parallel()
	handlers, resolvers := methodsOf(t, ".", "*api"), methodsOf(t, "../graph", "Queries", "Mutations")
	for route, m := range (&api{}).routes() {
		for verb, e := range m {
			name := runtime.FuncForPC(reflect.ValueOf(e.handle).Pointer()).Name()
			name = strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "-fm")
			resolver, isOther := otherResolvers[name]
			if !isOther {
				resolver = strings.ToUpper(name[:1]) + name[1:]
			}
			source := handlers[name].source
			if strings.Contains(source, "a.addSpace(") { // calls the resolver for both routes
				source += handlers["addSpace"].source
			}
			if !strings.Contains(source, "()."+resolver+"(") {
				t.Errorf("%s %s: %s does not call graph.%s, want the resolver of its name", verb, route, name, resolver)
			}
			if got, want := resolvers[resolver].file, handlers[name].file; got != want && !isOther {
				t.Errorf("%s %s: graph.%s is in %q, want %q, as rest.%s", verb, route, resolver, got, want, name)
			}
		}
	}
}
