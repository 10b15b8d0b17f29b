package portico_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// namedTest matches a test as SECURITY.md names it: by its package and its name.
var namedTest = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)\\w+)`")

// A threat whose test has gone would be a promise that nobody keeps.
func TestSecurity_names_tests_that_are_there(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatalf("read the page: %v", err)
	}
	named := namedTest.FindAllSubmatch(page, -1)
	if len(named) < 50 {
		t.Errorf("tests that the page names: got %d, want at least 50", len(named))
	}
	for _, name := range named {
		if !declares(t, string(name[1]), "func "+string(name[2])+"(") {
			t.Errorf("test %s of package %s is not there", name[2], name[1])
		}
	}
}

// declares reports whether a test file of the package holds the text.
func declares(t *testing.T, folder, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatalf("look for tests of %s: %v", folder, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read a test: %v", err)
		}
		if bytes.Contains(content, []byte(text)) {
			return true
		}
	}
	return false
}
