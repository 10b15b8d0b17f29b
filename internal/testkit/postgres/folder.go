package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// memoryFolder is where Linux has a file system in memory. A database there
	// takes a tenth of the time that it takes on a disk.
	memoryFolder = "/dev/shm"
	// memoryNeeded must be free there: containers often have 64 MiB only.
	memoryNeeded = 1 << 30

	folderPrefix = "portico-testdb-"
	// startGrace is how old a folder must be to count as left over: a younger
	// one may belong to a process that has not locked it yet.
	startGrace = 2 * startTimeout
)

// makeFolder creates the folder of this process's cluster, and removes the folders of
// processes that were killed. Every user may enter it, because Postgres does not run as
// root: in tests of root it is another user. The cluster inside is closed to all others.
func makeFolder() (string, error) {
	parent := parentFolder()
	sweep(parent, time.Now().Add(-startGrace))
	folder, err := os.MkdirTemp(parent, folderPrefix)
	if err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	if err := os.Chmod(folder, 0o711); err != nil {
		return "", fmt.Errorf("open the temporary folder: %w", err)
	}
	return folder, nil
}

// parentFolder returns the folder for temporary folders: $TMPDIR if it is set, else the
// folder in memory if it has room, else the default of the system.
func parentFolder() string {
	if os.Getenv("TMPDIR") != "" {
		return os.TempDir()
	}
	var state syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &state); err != nil {
		return os.TempDir() // no such folder on this system
	}
	if state.Bavail*uint64(state.Bsize) < memoryNeeded {
		return os.TempDir()
	}
	return memoryFolder
}

// sweep removes the folders that were created before the given time and that no process
// uses. It leaves the folders of other users, which it cannot remove.
func sweep(parent string, before time.Time) {
	folders, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return // the parent's name is not a valid pattern
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.ModTime().Before(before) && !inUse(folder) {
			_ = removeFolder(folder)
		}
	}
}

// inUse reports whether a process or its server holds the cluster's lock.
func inUse(folder string) bool {
	lock, err := os.Open(filepath.Join(folder, "postgres", "lock"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer func() { _ = lock.Close() }() // and with it the lock, if we got it
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// removeFolder removes the folder, and the cluster if the folder only links to it.
func removeFolder(folder string) error {
	if cluster, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres")); err == nil {
		if err := os.RemoveAll(cluster); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}
