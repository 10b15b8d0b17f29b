package db

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAdvisoryLocks_have_different_numbers reads the constants in the source, because db/private
// does not export its own.
func TestAdvisoryLocks_have_different_numbers(t *testing.T) {
	t.Parallel()
	constant := regexp.MustCompile(`(?m)^(?:const |\t)(\w+Lock) += ([0-9_]{6,})$`)
	names, source := map[string]string{}, os.DirFS(".")
	err := fs.WalkDir(source, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := fs.ReadFile(source, path)
		for _, found := range constant.FindAllStringSubmatch(string(text), -1) {
			name, number := found[1], found[2]
			if other := names[number]; other != "" {
				t.Errorf("%s and %s: both are %s, want different numbers", other, name, number)
			}
			names[number] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(names), 3; got != want {
		t.Errorf("locks: got %d (%v), want %d", got, names, want)
	}
}
