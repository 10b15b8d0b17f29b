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
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var module struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatalf("read go.mod: %v", err)
	}
	var required, documented []string
	for _, r := range module.Require {
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
