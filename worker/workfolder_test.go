package worker

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portico/storage"
)

func newTestFolder(t *testing.T, parent string) *workFolder {
	t.Helper()
	folder, err := newWorkFolder(parent, "job")
	if err != nil {
		t.Fatalf("make a work folder: %v", err)
	}
	return folder
}

// names returns the names in a folder; none if the folder does not exist.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("read %s: %v", folder, err)
	}
	found := []string{}
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

func TestRemoveLeftovers_removes_unlocked_folders(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "work")
	if err := removeLeftovers(parent); err != nil {
		t.Errorf("sweep before anybody worked: got %v, want nil", err)
	}
	used, left := newTestFolder(t, parent), newTestFolder(t, parent)
	if err := os.MkdirAll(filepath.Join(left.path, "in", "deep"), 0o700); err != nil {
		t.Fatalf("fill: %v", err)
	}
	if err := left.lock.Close(); err != nil { // as the end of its process does
		t.Fatalf("let go: %v", err)
	}
	for range 2 {
		if err := removeLeftovers(parent); err != nil {
			t.Fatalf("sweep: got %v, want nil", err)
		}
		if got := names(t, parent); len(got) != 1 || got[0] != filepath.Base(used.path) {
			t.Errorf("folders: got %q, want the one that is used", got)
		}
	}
	if err := used.remove(); err != nil || len(names(t, parent)) != 0 {
		t.Errorf("remove: got %v, want nothing left", err)
	}
}

// Creating folders and removing leftovers at the same time do not disturb each other.
func TestRemoveLeftovers_keeps_new_folders(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "work")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				folder, err := newWorkFolder(parent, "job")
				if err != nil {
					t.Errorf("make: %v", err)
					return
				}
				if err := os.WriteFile(filepath.Join(folder.path, "a"), nil, 0o600); err != nil {
					t.Errorf("the folder was taken away: %v", err)
				}
				if err := folder.remove(); err != nil {
					t.Errorf("remove: %v", err)
				}
			}
		})
		all.Go(func() {
			for range 100 {
				if err := removeLeftovers(parent); err != nil {
					t.Errorf("sweep: %v", err)
				}
			}
		})
	}
	all.Wait()
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("folders: got %q, want none", got)
	}
}

func TestCheckFreeSpace_refuses_more_than_the_disk_has(t *testing.T) {
	t.Parallel()
	folder := newTestFolder(t, t.TempDir())
	t.Cleanup(func() { _ = folder.remove() })
	if err := folder.checkFreeSpace(1); err != nil {
		t.Errorf("a byte: got %v, want room for it", err)
	}
	if err := folder.checkFreeSpace(math.MaxInt64); !errors.Is(err, storage.ErrFull) {
		t.Errorf("everything there is: got %v, want %v", err, storage.ErrFull)
	}
}

func TestResolveWorkFolder_refuses_an_unsafe_folder(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary) // so this test cannot be parallel
	if got, err := resolveWorkFolder("data/work"); err != nil || !filepath.IsAbs(got) || !strings.HasSuffix(got, "/data/work") {
		t.Errorf("configured folder: got %q, %v, want its absolute path", got, err)
	}
	path, err := resolveWorkFolder("")
	if err != nil || filepath.Dir(path) != temporary {
		t.Fatalf("folder: got %q, %v, want one in %s", path, err, temporary)
	}
	if again, err := defaultWorkFolder(); err != nil || again != path {
		t.Errorf("again: got %q, %v, want the same", again, err)
	}
	for name, spoil := range map[string]func() error{
		"that others may write to": func() error { return os.Chmod(path, 0o777) },
		"that is a link": func() error {
			return errors.Join(os.Remove(path), os.Symlink(temporary, path))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatalf("spoil: %v", err)
		}
		if got, err := defaultWorkFolder(); err == nil {
			t.Errorf("one %s: got %q, want it refused", name, got)
		}
	}
}
