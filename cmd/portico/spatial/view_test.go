package spatial

import (
	"os"
	"path/filepath"
	"testing"
)

// Brackets in the name of a folder are not a pattern.
func TestFindCapture_in_a_folder_with_brackets(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "scan [1]")
	check(t, os.Mkdir(folder, 0o700))
	want := filepath.Join(folder, "room.lcc")
	check(t, os.WriteFile(want, nil, 0o600))
	if got, err := findCapture(folder); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
