package portico_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// namedFunction matches a function as architecture.md names it: by its folder and
	// its name, without a receiver.
	namedFunction = regexp.MustCompile(`\b([a-z]+(?:/[a-z]+)*)\.([A-Za-z]\w*)\(\)`)
	// namedFolder matches the first column of the page's table of folders.
	namedFolder = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|")
)

// A page that names functions which were renamed would send its reader astray.
func TestArchitecture_names_functions_that_exist(t *testing.T) {
	t.Parallel()
	page := readPage(t, "docs/architecture.md")
	named := namedFunction.FindAllSubmatch(page, -1)
	if got, want := len(named), 50; got < want {
		t.Errorf("functions that the page names: got %d, want at least %d", got, want)
	}
	for _, name := range named {
		if !declaresFunction(t, string(name[1]), string(name[2])) {
			t.Errorf("folder %s has no function %s", name[1], name[2])
		}
	}
}

func TestArchitecture_names_folders_that_exist(t *testing.T) {
	t.Parallel()
	named := namedFolder.FindAllSubmatch(readPage(t, "docs/architecture.md"), -1)
	if got, want := len(named), 15; got < want {
		t.Errorf("folders that the page names: got %d, want at least %d", got, want)
	}
	for _, name := range named {
		if info, err := os.Stat(string(name[1])); err != nil || !info.IsDir() {
			t.Errorf("folder %s does not exist", name[1])
		}
	}
}

func readPage(t *testing.T, name string) []byte {
	t.Helper()
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("read the page: %v", err)
	}
	return page
}

// declaresFunction reports whether the production code of a folder declares a function
// or a method of this name.
func declaresFunction(t *testing.T, folder, name string) bool {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?` + name + `[\[(]`)
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatalf("list the files of %s: %v", folder, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "generated.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read %s: %v", file, err)
		}
		if declaration.Match(content) {
			return true
		}
	}
	return false
}
