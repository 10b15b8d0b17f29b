package spatial

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"portico/splat"
)

// Another program creates the JSON file while the capture is converted. A binary file that remained
// would block the next attempt.
func TestMoveFrom_moves_both_files_of_a_collision_or_none(t *testing.T) {
	t.Parallel()
	dir, staging := t.TempDir(), t.TempDir()
	out := target{path: filepath.Join(dir, "a"+splat.CollisionSuffix), extension: splat.CollisionSuffix}
	staged := out
	staged.path = filepath.Join(staging, "a"+splat.CollisionSuffix)
	for path, text := range map[string]string{staged.path: "new", collisionBinary(staged.path): "new", out.path: "old"} {
		check(t, os.WriteFile(path, []byte(text), 0o600))
	}
	if err := out.moveFrom(staged); err == nil || err.Error() != out.path+" exists; name a new file" {
		t.Errorf("move: got %v, want that the JSON file exists", err)
	}
	if _, err := os.Lstat(collisionBinary(out.path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("binary file: got %v, want it removed", err)
	}
	if got, err := os.ReadFile(out.path); err != nil || string(got) != "old" {
		t.Errorf("JSON file: got %q, %v, want it unchanged", got, err)
	}
}
