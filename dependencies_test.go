package portico_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dependencyRow matches a row of the table in dependencies.md.
var dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+\\.[^`]+)` \\| [^|]+ \\| [^|]+ \\|$")

// A dependency without a reason is one that nobody has argued for.
func TestDependencies_all_have_a_reason(t *testing.T) {
	t.Parallel()
	var required, documented []string
	for _, r := range requirements(t, "go.mod") {
		if !r.Indirect {
			required = append(required, r.Path)
		}
	}
	for _, row := range dependencyRow.FindAllSubmatch(readPage(t, "docs/dependencies.md"), -1) {
		documented = append(documented, string(row[1]))
	}
	slices.Sort(required)
	slices.Sort(documented)
	if diff := cmp.Diff(documented, required); diff != "" {
		t.Errorf("modules in docs/dependencies.md (-) and in go.mod (+):\n%s", diff)
	}
}

// A module that both files name in the same version is compiled once, and else twice.
func TestDependencies_of_the_S3_server_have_the_versions_of_the_program(t *testing.T) {
	t.Parallel()
	newer := map[string]bool{"github.com/valyala/fasthttp": true} // go.mod names it, but the program does not use it
	versions := map[string]string{}
	for _, r := range requirements(t, "go.mod") {
		versions[r.Path] = r.Version
	}
	for _, r := range requirements(t, "s3.mod") {
		if want := versions[r.Path]; want != "" && r.Version != want && !newer[r.Path] {
			t.Errorf("%s in s3.mod: got %s, want %s; run go get -modfile=s3.mod %[1]s@%[3]s", r.Path, r.Version, want)
		}
	}
}

// requirement is a module that another module requires.
type requirement struct {
	Path, Version string
	Indirect      bool
}

// requirements returns the modules that a module file requires.
func requirements(t *testing.T, file string) []requirement {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", file).Output()
	if err != nil {
		t.Fatalf("go mod edit %s: %v", file, err)
	}
	var module struct{ Require []requirement }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
	return module.Require
}
