package smalldisk

import (
	"fmt"
	"syscall"
	"testing"
)

// New returns the folder of a file system of this size in memory. It uses memory only for what is
// written. It skips the test if this process may not mount one.
func New(t *testing.T, bytes int64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: got %v, want nil", err)
		}
	})
	return dir
}
