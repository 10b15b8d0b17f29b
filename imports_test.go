// Package portico_test checks the imports between packages.
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

// mayImport lists, for each package, the other packages of this module that its code, without
// tests, imports. A door cannot import db, and graph imports no door.
var mayImport = map[string][]string{
	"model":                {},
	"splat":                {"splat/folder", "splat/input", "splat/gaussian", "splat/lcc", "splat/lcc2", "splat/sog", "splat/ply", "splat/spz", "splat/splatfile", "splat/ksplat", "splat/records", "splat/gltf", "splat/picture", "splat/csv", "splat/edit", "splat/html", "splat/voxel", "splat/vp8l"},
	"splat/folder":         {},
	"splat/input":          {"splat/folder"},
	"splat/archive":        {"splat/folder", "splat/input", "splat/gltf", "splat/html", "splat/lcc2"},
	"splat/gaussian":       {},
	"splat/decimate":       {"splat/gaussian"},
	"splat/vp8l":           {},
	"splat/palette":        {},
	"splat/lcc":            {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/lcc2":           {"splat/folder", "splat/input", "splat/gaussian", "splat/ply", "splat/sog", "splat/spz"},
	"splat/sog":            {"splat/folder", "splat/input", "splat/gaussian", "splat/vp8l", "splat/palette", "splat/decimate"},
	"splat/ply":            {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/edit":           {"splat/input", "splat/gaussian", "splat/decimate", "splat/voxel"},
	"splat/html":           {"splat/folder"},
	"splat/csv":            {"splat/input", "splat/gaussian", "splat/ply"},
	"splat/records":        {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/splatfile":      {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/ksplat":         {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/spz":            {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/gltf":           {"splat/folder", "splat/input", "splat/gaussian", "splat/meshopt", "splat/records", "splat/spz"},
	"splat/meshopt":        {"splat/folder", "splat/input"},
	"splat/picture":        {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/voxel":          {"splat/gaussian", "splat/input"},
	"splat/splattest":      {},
	"storage":              {"model", "internal/cors", "internal/envelope", "internal/negotiate", "internal/semaphore"},
	"db":                   {"model", "db/migrations", "internal/background"},
	"db/migrations":        {},
	"db/private":           {"internal/background", "internal/npm"},
	"auth":                 {"model", "db", "internal/background"},
	"auth/account":         {"model", "db", "auth", "internal/counter"},
	"graph/presence":       {"model", "internal/background"},
	"graph":                {"model", "db", "storage", "graph/presence", "splat", "auth", "limit", "graph/schema", "graph/transport", "internal/background", "internal/semaphore"},
	"graph/transport":      {"model", "internal/background", "internal/method"},
	"graph/schema":         {"model"},
	"graph/view":           {"model", "graph", "internal/envelope", "internal/method"},
	"graph/export":         {"model", "db", "storage", "graph"},
	"worker":               {"model", "db", "storage", "splat", "splat/archive", "splat/folder", "worker/child", "worker/mail", "worker/webhook", "internal/background", "internal/freespace"},
	"worker/mail":          {"model"},
	"worker/webhook":       {"internal/publicnet"},
	"worker/child":         {"model", "splat", "splat/folder", "storage", "worker/sandbox", "internal/jsonlines", "internal/subprocess"},
	"worker/sandbox":       {},
	"rest/tus":             {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/counter", "internal/envelope", "internal/semaphore"},
	"limit":                {"model", "internal/background", "internal/counter"},
	"rest":                 {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/semaphore"},
	"mcp":                  {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/freespace", "internal/method", "internal/publicnet", "internal/semaphore"},
	"web":                  {"model", "db", "auth", "auth/account", "internal/counter", "internal/method"},
	"web/dist":             {},
	"web/asset":            {"internal/negotiate"},
	"web/console":          {"web", "web/dist"},
	"web/page":             {"model", "internal/cors", "internal/method", "internal/negotiate", "web", "web/asset", "web/dist"},
	"web/playground":       {"web/asset", "internal/method"},
	"web/plugin":           {"internal/method"},
	"web/preview":          {"model", "web/asset", "web/dist"},
	"web/playground/fetch": {},
	"web/unit":             {},
	"oauth":                {"model", "db", "web", "internal/cors", "internal/counter", "internal/method", "internal/publicnet"},
	"docs":                 {"internal/method"},
	"server": {"model", "db", "db/private", "storage", "graph/presence", "limit", "auth", "auth/account", "graph", "graph/export", "graph/transport", "splat", "worker", "worker/child", "worker/mail",
		"rest", "rest/tus", "mcp", "web", "web/console", "web/page", "web/playground", "web/plugin", "web/preview", "oauth", "docs", "internal/background", "internal/cors", "internal/method", "internal/semaphore"},
	"cmd/portico": {"server", "model", "splat", "splat/archive", "splat/folder", "internal/jsonlines", "internal/subprocess"},

	// What several packages of the server share.
	"internal/background":  {},
	"internal/counter":     {},
	"internal/cors":        {},
	"internal/envelope":    {"model"},
	"internal/freespace":   {},
	"internal/jsonlines":   {},
	"internal/method":      {},
	"internal/negotiate":   {},
	"internal/npm":         {},
	"internal/plainfields": {},
	"internal/publicnet":   {},
	"internal/schemadiff":  {},
	"internal/semaphore":   {},
	"internal/subprocess":  {},

	// What tests, trials and conformance are made of; no program of users imports it.
	"internal/conformance/frontends":       {},
	"internal/conformance/clients":         {},
	"internal/conformance/contract":        {},
	"internal/conformance/outage":          {},
	"internal/conformance/parity":          {},
	"internal/conformance/property":        {},
	"internal/conformance/replicas":        {},
	"internal/conformance/space":           {},
	"internal/conformance/viewer":          {},
	"internal/testkit/api":                 {"model", "splat/splattest"},
	"internal/testkit/browser":             {"internal/testkit/npm", "internal/testkit/race"},
	"internal/testkit/cluster":             {"db/private"},
	"internal/testkit/command":             {},
	"internal/testkit/leak":                {},
	"internal/testkit/mailbox":             {},
	"internal/testkit/npm":                 {"internal/npm"},
	"internal/testkit/openid":              {},
	"internal/testkit/operations":          {"docs", "internal/testkit/api"},
	"internal/testkit/postgres":            {"db/private", "internal/testkit/leak"},
	"internal/testkit/postgres/testdb":     {"model", "db", "internal/testkit/postgres"},
	"internal/testkit/program":             {},
	"internal/testkit/program/programtest": {"internal/testkit/api", "internal/testkit/program", "internal/testkit/race"},
	"internal/testkit/race":                {},
	"internal/testkit/s3":                  {"internal/testkit/program"},
	"internal/testkit/scenery":             {},
	"internal/testkit/usage":               {},
	"internal/testkit/world":               {"server", "model", "internal/testkit/api", "internal/testkit/postgres", "internal/testkit/postgres/testdb", "internal/testkit/program", "internal/testkit/program/programtest"},
	"internal/trial/abuse":                 {"model", "db", "db/private", "auth", "splat/splattest", "internal/testkit/cluster", "internal/testkit/command", "internal/testkit/program"},
	"internal/trial/conversion":            {"splat/gaussian", "splat/folder", "splat/lcc", "splat/picture", "splat/ply", "splat/sog", "internal/testkit/command", "internal/testkit/npm", "internal/testkit/program"},
	"internal/trial/faults":                {"db/private", "splat", "splat/folder", "splat/splattest", "internal/testkit/command", "internal/testkit/program", "internal/testkit/usage"},
	"internal/trial/load":                  {"model", "db", "db/private", "auth", "splat/splattest", "internal/testkit/cluster", "internal/testkit/command", "internal/testkit/program"},
	"internal/trial/mutation":              {"splat", "splat/folder", "splat/gaussian", "splat/splattest", "worker/child", "internal/jsonlines", "internal/testkit/command", "internal/testkit/program"},
	"worker/child/childtest":               {"worker/child", "worker/sandbox"},
}

// onlyInFiles holds the imports that only some files of a package may have.
var onlyInFiles = map[string]map[string][]string{
	"graph": {
		"auth":  {"graph/handler.go"},
		"limit": {"graph/handler.go"},
	},
}

func TestImports(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "portico/")
		if p.ImportPath == "portico" {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s has no row in the table of imports", name)
		}
		for _, imported := range p.Imports {
			ours, ok := strings.CutPrefix(imported, "portico/")
			if ok && !slices.Contains(allowed, ours) {
				t.Errorf("package %s imports %s, which the table does not allow", name, ours)
			}
		}
		for _, ours := range allowed {
			if !slices.Contains(p.Imports, "portico/"+ours) {
				t.Errorf("the table allows package %s to import %s, which it does not import", name, ours)
			}
		}
		seen[name] = true
	}
	for name := range mayImport {
		if !seen[name] {
			t.Errorf("the table has a row for package %s, which does not exist", name)
		}
	}
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

// A door that reads a table through the fields of the resolver passes by the table of imports: it
// needs no import of db. Package server sets these fields, and has the same fields of its own.
func TestImports_cannot_be_avoided_through_the_resolver(t *testing.T) {
	t.Parallel()
	field := regexp.MustCompile(`\.(DB|Store)\b`)
	files, err := exec.Command("grep", "-rlF", `"portico/graph"`, "--include=*.go", "--exclude=*_test.go",
		"--exclude-dir=node_modules", ".").Output()
	if err != nil {
		t.Fatalf("look for the packages with a resolver: %v", err)
	}
	folders := map[string]bool{}
	for file := range strings.FieldsSeq(string(files)) {
		folders[filepath.Dir(file)] = true
	}
	for _, door := range []string{"rest", "rest/tus", "mcp"} {
		if !folders[door] {
			t.Errorf("%s: got no import of package graph, want it among the doors", door)
		}
	}
	delete(folders, "server")
	delete(folders, "graph/export") // below graph: the table lets it import db
	for folder := range folders {
		for _, file := range goFiles(t, folder) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, selection := range field.FindAllString(strings.ReplaceAll(string(source), "*db.DB", ""), -1) {
				t.Errorf("%s selects %s, which only package graph may of a resolver", file, selection)
			}
		}
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
