package spatial

import (
	"os"
	"path/filepath"
	"testing"
)

// Brackets in the name of a folder are not a pattern.
func TestRemoveStaging_in_a_folder_with_brackets(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "scan [1]")
	for _, name := range []string{".portico-12-a", ".portico-12-b", ".portico-13-a"} {
		check(t, os.MkdirAll(filepath.Join(folder, name), 0o700))
	}
	check(t, removeStaging(folder, 12))
	left, err := os.ReadDir(folder)
	check(t, err)
	if len(left) != 1 || left[0].Name() != ".portico-13-a" {
		t.Errorf("left: %q, want the folder of the other process", left)
	}
}
