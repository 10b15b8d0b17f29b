package command

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func TestMoveNew_replaces_nothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	check(t, os.WriteFile(from, []byte("new"), 0o600))
	check(t, os.WriteFile(to, []byte("old"), 0o600))
	if err := MoveNew(from, to); err == nil || err.Error() != to+" exists; name a new file" {
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
		check(t, MoveNew(from, from+" moved"))
		if _, err := os.Lstat(from + " moved"); err != nil {
			t.Errorf("%s: got %v, want it moved", from, err)
		}
		check(t, CheckNew(from))
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
				if MoveNew(from, to) == nil {
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
