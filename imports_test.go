// Package portico_test checks the rules of the whole tree, such as who may import whom.
package portico_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imports says which folders of the top level may import which, each with all packages below it.
// Every folder may import internal and docs as well. docs/architecture.md has the same rows.
var imports = []struct{ folders, mayImport string }{
	{"server", "all but cmd"},
	{"cmd", "server, splat, model"},
	{"model, splat", "the standard library"},
	{"storage, limit", "model"},
	{"db", "model"},
	{"auth", "model, db"},
	{"graph", "model, db, storage, splat, auth, limit"},
	{"worker", "model, db, storage, splat"},
	{"rest, mcp", "model, graph, auth, limit"},
	{"web", "model, db, auth"},
	{"oauth", "model, db, web"},
	{"internal, docs", "model"},
}

// A table of packages grows with each package, and so does what it allows. This one does not.
func TestImports_between_folders(t *testing.T) {
	t.Parallel()
	mayImport := map[string]string{}
	for _, row := range imports {
		for folder := range strings.SplitSeq(row.folders, ", ") {
			mayImport[folder] = row.mayImport
		}
	}
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "portico/")
		if name == "portico" || isBelowTests(name) {
			continue
		}
		folder := folderOf(name)
		seen[folder] = true
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, "portico/")
			if ours && !folderMayImport(mayImport[folder], folder, folderOf(other)) {
				t.Errorf("package %s imports %s, but %s may import only %s", name, other, folder, mayImport[folder])
			}
		}
	}
	for folder := range mayImport {
		if !seen[folder] {
			t.Errorf("the table has a row for %s, which does not exist", folder)
		}
	}
}

// folderMayImport reports whether a folder may import another folder, given the second column of
// its row.
func folderMayImport(mayImport, folder, other string) bool {
	if mayImport == "all but cmd" {
		return other != "cmd"
	}
	return other == folder || other == "internal" || other == "docs" || slices.Contains(strings.Split(mayImport, ", "), other)
}

// folderOf returns the folder of the top level that a package is in.
func folderOf(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return folder
}

// isBelowTests reports whether the package is only for tests, trials and tools.
func isBelowTests(name string) bool {
	for folder := name; folder != "."; folder = filepath.Dir(folder) {
		if isForTests(folder) {
			return true
		}
	}
	return false
}

func TestImports_between_folders_are_documented(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(string(readPage(t, "docs/architecture.md")), "`", "")
	_, table, _ := strings.Cut(page, "| folder | may import |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, row := range imports {
		want = append(want, "| "+row.folders+" | "+row.mayImport+" |")
	}
	if got := strings.Split(table, "\n"); !slices.Equal(got, want) {
		t.Errorf("rows in docs/architecture.md: got %q, want %q", got, want)
	}
}

// onlyInFiles holds the imports that only some files of a package may have.
var onlyInFiles = map[string]map[string][]string{
	"graph": {
		"auth":  {"graph/handler.go"},
		"limit": {"graph/handler.go"},
	},
}

func TestImports_of_single_files(t *testing.T) {
	t.Parallel()
	for name, files := range onlyInFiles {
		for imported, want := range files {
			out, err := exec.Command("grep", "-l", `"portico/`+imported+`"`, "-r", name, "--include=*.go", "--exclude=*_test.go").Output()
			if err != nil {
				t.Fatalf("look for imports of %s in %s: %v", imported, name, err)
			}
			got := strings.Fields(string(out))
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s is imported by %q, want exactly %q", imported, got, want)
			}
		}
	}
}

// onlyIn holds, for each text, the one file that may contain it: tests and trials have one
// way to do what the file does.
var onlyIn = map[string]string{
	`"./cmd/portico"`:       "internal/testkit/program/build.go", // builds the program
	"signal.NotifyContext(": "internal/testkit/command/main.go",  // ends a command
	"build race":            "internal/testkit/race/on.go",       // knows the race detector
}

func TestImports_of_what_tests_and_trials_share(t *testing.T) {
	t.Parallel()
	for text, file := range onlyIn {
		out, err := exec.Command("grep", "-rlF", text, "cmd", "internal", "web", "--include=*.go", "--exclude-dir=fetch").Output()
		if err != nil {
			t.Fatalf("look for %s: %v", text, err)
		}
		if got := strings.TrimSpace(string(out)); got != file {
			t.Errorf("%s is in %q, want %q only", text, got, file)
		}
	}
}

// The files of the GraphQL schema are a door in the package of the core, which no table of imports
// keeps from the fields of the resolver.
func TestImports_cannot_be_avoided_by_the_schema(t *testing.T) {
	t.Parallel()
	field := regexp.MustCompile(`\.(db|store)\b`)
	checked := 0
	for _, file := range goFiles(t, "graph") {
		if !strings.HasPrefix(filepath.Base(file), "schema") {
			continue
		}
		checked++
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, selection := range field.FindAllString(string(source), -1) {
			t.Errorf("%s selects %s, which only the core may", file, selection)
		}
	}
	if checked < 15 {
		t.Errorf("files of the schema: got %d, want at least 15", checked)
	}
}

// goFiles returns the Go files of a folder, without tests.
func goFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

func TestImports_of_model_and_splat_are_of_the_standard_library(t *testing.T) {
	t.Parallel()
	codecs := []string{"github.com/klauspost/compress", "golang.org/x/image"}
	for _, p := range packages(t) {
		ofSplat := p.ImportPath == "portico/splat" || strings.HasPrefix(p.ImportPath, "portico/splat/")
		if p.ImportPath != "portico/model" && !ofSplat {
			continue
		}
		for _, imported := range p.Imports {
			first, _, _ := strings.Cut(imported, "/")
			codec := ofSplat && slices.ContainsFunc(codecs, func(c string) bool {
				return strings.HasPrefix(imported, c)
			})
			if strings.Contains(first, ".") && !codec {
				t.Errorf("%s imports %s, which is not of the standard library", p.ImportPath, imported)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

// packages asks the go command about every package of the module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		all = append(all, p)
	}
}
