package portico_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notRaced are packages that start goroutines and are not in the list RACE of the Makefile.
var notRaced = map[string]string{
	"cmd/portico": "most of its tests start the built program, which has no race detector",
	"db/private":  "it starts and stops a cluster, one step after the other",
}

// TestRace_covers_goroutines compares the packages of make race with those whose code starts
// goroutines. Kits of tests and trials are no part of the server.
func TestRace_covers_goroutines(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)\nRACE := (.*?[^\\])\n`).FindSubmatch(makefile)
	if list == nil {
		t.Fatal("the Makefile has no list RACE")
	}
	patterns := strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " "))
	listed, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", patterns, err)
	}
	raced := strings.Fields(string(listed))
	folders, err := exec.CommandContext(t.Context(), "go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(folders)) {
		folder := strings.TrimPrefix(strings.TrimPrefix(path, "portico"), "/")
		if strings.HasPrefix(folder, "internal/") || slices.Contains(raced, path) {
			continue
		}
		if place := goroutine(t, folder); place != "" && notRaced[folder] == "" {
			t.Errorf("%s: a goroutine starts here; add the package to the list RACE in the Makefile", place)
		}
	}
}

// goroutine returns the place of a statement that starts a goroutine in the folder's code, or "".
func goroutine(t *testing.T, folder string) (place string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if startsGoroutine(node) {
				place = positions.Position(node.Pos()).String()
			}
			return place == ""
		})
	}
	return place
}

// startsGoroutine reports whether the node is a go statement, or a call of a method Go, which
// sync.WaitGroup and errgroup.Group have.
func startsGoroutine(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		method, ok := node.Fun.(*ast.SelectorExpr)
		return ok && method.Sel.Name == "Go"
	}
	return false
}
