// Package portico_test checks the rules of the whole tree, such as who may import whom.
package portico_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// imports says which folders of the top level may import which, each with all packages below it.
// Every folder may import internal and docs as well. GraphQL is a door like rest, and has a row although
// it is below graph.
var imports = []struct{ folders, mayImport string }{
	{"server", "all but cmd"},
	{"cmd", "server, splat, model, client"},
	{"model, splat", "the standard library"},
	{"storage, limit, client", "model"},
	{"db", "model"},
	{"auth", "model, db"},
	{"graph", "model, db, storage, splat, auth, limit"},
	{"worker", "model, db, storage, splat"},
	{"rest, mcp, supersplat, graph/door", "model, graph, auth, limit"},
	{"web", "model, db, auth, splat"},
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

// The commands meet in commandline only, and share what is in command.
func TestImports_between_commands(t *testing.T) {
	t.Parallel()
	const program = "portico/cmd/portico"
	for _, p := range packages(t) {
		if p.ImportPath == program || p.ImportPath == program+"/commandline" {
			continue
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, program+"/") && imported != program+"/command" {
				t.Errorf("%s imports %s, but commands may import only command", p.ImportPath, imported)
			}
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

// folderOf returns the folder of the table that a package is in.
func folderOf(name string) string {
	if name == "graph/door" {
		return name
	}
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

// The core and its subjects know nothing of GraphQL: rest and mcp call them too.
func TestImports_of_gqlgen(t *testing.T) {
	t.Parallel()
	using := []string{"portico/graph/door", "portico/graph/limits", "portico/graph/scalar", "portico/graph/schema", "portico/graph/transport"}
	for _, p := range packages(t) {
		if strings.HasPrefix(p.ImportPath, "portico/graph") && !slices.Contains(using, p.ImportPath) &&
			slices.ContainsFunc(p.Imports, func(imported string) bool { return strings.HasPrefix(imported, "github.com/99designs/gqlgen") }) {
			t.Errorf("%s imports gqlgen, which is for the door alone", p.ImportPath)
		}
	}
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

// isForTests reports whether the code in a folder is only for tests, trials and tools.
func isForTests(folder string) bool {
	switch folder {
	case "internal/conformance", "internal/testkit", "internal/trial", "splat/splattest", "storage/storagetest", "worker/child/childtest":
		return true
	}
	return false
}
