package disk

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// An error of the disk is not the removal by another process, after which another file is tried.
func TestLockNew_returns_errors_of_the_disk(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil).Store
	file, err := os.Create(t.TempDir() + "/new")
	check(t, err)
	defer func() { check(t, closeAndUnlock(file)) }()
	in := &incoming{disk: d, file: file, name: incomingFolder + "/removed"}
	if owned, err := in.lockNew(); owned || err != nil {
		t.Errorf("lockNew of a removed file: got %v and %v, want false and no error", owned, err)
	}
	in.name = incomingFolder + "/" + strings.Repeat("a", 300)
	if owned, err := in.lockNew(); owned || err == nil {
		t.Errorf("lockNew of a name that is too long: got %v and %v, want an error", owned, err)
	}
}

func TestOpenStaging_removes_a_folder_that_it_cannot_lock(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil).Store
	in := &incoming{disk: d, name: incomingFolder + "/new"}
	check(t, d.root.Mkdir(in.name, 0o750))
	folder, err := d.root.Open(in.name)
	check(t, err)
	defer func() { check(t, closeAndUnlock(folder)) }()
	locked, err := tryLock(folder)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no locks")
	}
	check(t, err)
	if !locked {
		t.Fatal("lock: got false, want the lock of the other process")
	}
	if _, err := d.openStaging(in); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("openStaging: got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := d.root.Lstat(in.name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("folder: got %v, want that it is removed", err)
	}
}
