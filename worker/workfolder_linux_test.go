package worker

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"portico/storage"
)

// A real full disk: a file system in memory with two inodes, for its root and for one folder, if this
// process may mount one.
func TestNewWorkFolder_reports_a_full_disk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "nr_inodes=2"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	for name, parent := range map[string]string{
		"no room for the folder":       filepath.Join(disk, "work"),
		"no room for the one above it": filepath.Join(disk, "work", "deep"),
	} {
		if _, err := newWorkFolder(parent, "job"); !errors.Is(err, storage.ErrFull) {
			t.Errorf("%s: got %v, want %v", name, err, storage.ErrFull)
		}
	}
}
