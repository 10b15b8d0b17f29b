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
	// namedFile matches a file in a folder as a page names it.
	namedFile = regexp.MustCompile("`([a-z]+(?:/[a-z.]+)*/[a-z_0-9.]+\\.(?:go|ts|svelte|sql|sh|json))`")
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

func TestPages_for_developers_name_files_that_exist(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"docs/architecture.md", "CONTRIBUTING.md", "README.md"} {
		named := namedFile.FindAllSubmatch(readPage(t, page), -1)
		if len(named) == 0 {
			t.Errorf("%s: got no file, want at least one", page)
		}
		for _, name := range named {
			if _, err := os.Stat(string(name[1])); err != nil {
				t.Errorf("%s: file %s does not exist", page, name[1])
			}
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
