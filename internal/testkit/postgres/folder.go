package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// memoryFolder is the in-memory file system of Linux. Creating a database there takes a
	// tenth of the time that it takes on a disk.
	memoryFolder = "/dev/shm"
	// memoryNeeded is the minimum free space of memoryFolder in bytes. Containers often have
	// only 64 MiB.
	memoryNeeded = 1 << 30

	folderPrefix = "portico-testdb-"
	// startGrace is the minimum age of a folder that sweep removes. The process of a younger
	// folder may not have locked it yet.
	startGrace = 2 * startTimeout
)

// makeFolder creates the folder of this process's cluster, and removes the folders of killed
// processes. Every user may enter the folder: if the tests run as root, Postgres runs as another
// user. The cluster in the folder is accessible only to that user.
//
// The layout of a folder:
//
//	postgres       the data of the cluster, or a link to it if its user cannot enter the folder
//	postgres/lock  locked by the process and by its server; a folder without a lock is left over
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

// parentFolder returns the folder for temporary folders: $TMPDIR if it is set, memoryFolder if it
// has enough space, or the default of the system.
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

// sweep removes the unused folders that were created before the given time. It cannot remove the
// folders of other users, and ignores this error.
func sweep(parent string, before time.Time) {
	folders, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return // the parent's name is not a valid pattern
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.ModTime().Before(before) && !inUse(folder) {
			_ = removeFolder(folder) // the folder of another user
		}
	}
}

// inUse reports whether a process or its server holds the cluster's lock.
func inUse(folder string) bool {
	lock, err := os.Open(filepath.Join(folder, "postgres", "lock"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	defer func() { _ = lock.Close() }() // releases the lock, if Flock acquired it
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// removeFolder removes the folder, and also the cluster if the folder contains a link to it.
func removeFolder(folder string) error {
	if cluster, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres")); err == nil {
		if err := os.RemoveAll(cluster); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}
