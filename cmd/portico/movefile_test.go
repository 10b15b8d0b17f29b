package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"portico/splat"
)

func TestMoveNew_replaces_nothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	check(t, os.WriteFile(from, []byte("new"), 0o600))
	check(t, os.WriteFile(to, []byte("old"), 0o600))
	if err := moveNew(from, to); err == nil || err.Error() != to+" exists; name a new file" {
		t.Errorf("move to a file: got %v, want that it exists", err)
	}
	for path, want := range map[string]string{from: "new", to: "old"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestMoveNew_moves_files_and_folders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder")
	check(t, os.WriteFile(file, []byte("new"), 0o600))
	check(t, os.Mkdir(folder, 0o700))
	for _, from := range []string{file, folder} {
		check(t, moveNew(from, from+" moved"))
		if _, err := os.Lstat(from + " moved"); err != nil {
			t.Errorf("%s: got %v, want it moved", from, err)
		}
		check(t, checkNew(from))
	}
}

// A check before a rename would let several moves replace each other.
func TestMoveNew_moves_only_one_of_many_to_a_path(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 200 {
		to := filepath.Join(dir, "to")
		var moved atomic.Int32
		var moves sync.WaitGroup
		start := make(chan struct{})
		for _, name := range []string{"a", "b", "c", "d"} {
			from := filepath.Join(dir, name)
			check(t, os.WriteFile(from, []byte(name), 0o600))
			moves.Go(func() {
				<-start
				if moveNew(from, to) == nil {
					moved.Add(1)
				}
			})
		}
		close(start)
		moves.Wait()
		if got := moved.Load(); got != 1 {
			t.Fatalf("moves to one path: %d succeeded, want 1", got)
		}
		check(t, os.Remove(to))
	}
}

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

func TestExport_replaces_no_file(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "ada.zip")
	check(t, os.WriteFile(out, []byte("old"), 0o600))
	_, errs, code := command(t, dir, nil, "export", "--user", "ada@example.com", out)
	if code == 0 || !strings.Contains(errs, out+" exists; name a new file") {
		t.Errorf("export: got %q, %d, want that the file exists", errs, code)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "old" {
		t.Errorf("file: got %q, %v, want it unchanged", got, err)
	}
}
