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
// goroutines. Kits of tests and trials are not part of the server.
func TestRace_covers_goroutines(t *testing.T) {
	t.Parallel()
	raced := raced(t)
	folders, err := exec.CommandContext(t.Context(), "go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(folders)) {
		folder := strings.TrimPrefix(strings.TrimPrefix(path, "portico"), "/")
		if isKit(folder) || slices.Contains(raced, path) {
			continue
		}
		if place := goroutine(t, folder); place != "" && notRaced[folder] == "" {
			t.Errorf("%s: a goroutine starts here; add the package to the list RACE in the Makefile", place)
		}
	}
}

// isKit reports whether a folder has code for tests and trials only.
func isKit(folder string) bool {
	return slices.ContainsFunc([]string{"internal/conformance", "internal/testkit", "internal/trial"}, func(kit string) bool {
		return folder == kit || strings.HasPrefix(folder, kit+"/")
	})
}

// raced returns the import paths of the list RACE of the Makefile.
func raced(t *testing.T) []string {
	t.Helper()
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
	return strings.Fields(string(listed))
}

// TestSkipRaced_runs_shortened_tests checks that the tests that make race skips or shortens say so
// in their own bodies, where make test SKIP_RACED=yes looks for them.
func TestSkipRaced_runs_shortened_tests(t *testing.T) {
	t.Parallel()
	for _, path := range raced(t) {
		files, err := filepath.Glob(filepath.Join(strings.TrimPrefix(path, "portico/"), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		positions := token.NewFileSet()
		for _, name := range files {
			file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, declared := range file.Decls {
				if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") {
					continue
				}
				ast.Inspect(declared, func(node ast.Node) bool {
					if asksForRace(node) {
						t.Errorf("%s: only a test may ask for the race detector", positions.Position(node.Pos()))
					}
					return true
				})
			}
		}
	}
}

// asksForRace reports whether the node is a name of package race.
func asksForRace(node ast.Node) bool {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	qualifier, ok := selector.X.(*ast.Ident)
	return ok && qualifier.Name == "race"
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

// TestRace_covers_what_it_skips checks that the tests named by race.SkipCovered exist, and are not
// skipped themselves.
func TestRace_covers_what_it_skips(t *testing.T) {
	t.Parallel()
	listed, err := exec.CommandContext(t.Context(), "git", "grep", "-l", "race.SkipCovered(t, ", "--", "*_test.go").Output()
	if err != nil {
		t.Skipf("the files cannot be listed: %v", err)
	}
	named := regexp.MustCompile(`race\.SkipCovered\(t, "(\w+)"\)`)
	for _, file := range strings.Fields(string(listed)) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllStringSubmatch(string(content), -1) {
			if body := testBody(t, filepath.Dir(file), match[1]); body == "" || named.MatchString(body) {
				t.Errorf("%s: %s does not run under the race detector", file, match[1])
			}
		}
	}
}

func testBody(t *testing.T, folder, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, found := strings.Cut(string(content), "\nfunc "+name+"(t *testing.T) {\n"); found {
			body, _, _ = strings.Cut(body, "\n}\n")
			return body
		}
	}
	return ""
}
