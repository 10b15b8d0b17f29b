package rest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// handlerFiles returns the files of the methods of api by name, without .go.
func handlerFiles(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(".")
	check(t, err)
	files := map[string]string{}
	for _, entry := range entries {
		name, isGo := strings.CutSuffix(entry.Name(), ".go")
		if !isGo || strings.HasSuffix(name, "_test") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution)
		check(t, err)
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv != nil {
				files[function.Name.Name] = name
			}
		}
	}
	return files
}

// lastWord returns the last fixed segment of a path as the name of a file, in the singular. Routes
// below /user are about the account, and routes below /splatjs about shared spaces.
func lastWord(route string) string {
	word := ""
	for segment := range strings.SplitSeq(route, "/") {
		if segment != "" && !strings.HasPrefix(segment, "{") {
			word = segment
		}
	}
	switch first, _, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/"); first {
	case "user":
		word = "user"
	case "splatjs":
		word = "share"
	}
	singular := strings.Replace(word, "entities", "entity", 1)
	return strings.TrimSuffix(strings.ReplaceAll(singular, "-", ""), "s")
}

func TestRoutes_are_in_the_files_with_their_names(t *testing.T) {
	t.Parallel()
	files := handlerFiles(t)
	for route, m := range (&api{}).routes() {
		for method, e := range m {
			name := runtime.FuncForPC(reflect.ValueOf(e.handle).Pointer()).Name()
			name = strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "-fm")
			file, word := files[name], lastWord(route)
			if file == "" || !strings.Contains(file, word) && !strings.Contains(word, file) {
				t.Errorf("%s %s: got %s in %q, want a file with the name %q", method, route, name, file+".go", word)
			}
		}
	}
}
