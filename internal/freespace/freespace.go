// Package freespace says how much room a disk has for temporary files. The packages worker and
// graph/view ask it before they write files of sizes that they do not control.
package freespace

import (
	"io/fs"
	"os"
	"syscall"
)

// Reserve is the space that temporary files must leave free on their disk, in bytes. The database
// is often on the same disk and stops when the disk is full.
const Reserve = 256 << 20

// Available returns how many bytes of temporary files the disk of an open file or folder has room
// for. It is negative if less than Reserve is free.
func Available(file *os.File) (int64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(file.Fd()), &disk); err != nil {
		return 0, &fs.PathError{Op: "read the free space of the disk of", Path: file.Name(), Err: err}
	}
	// Bavail is the space for unprivileged users; root could use more.
	return int64(disk.Bavail)*int64(disk.Bsize) - Reserve, nil //nolint:unconvert // another type elsewhere
}
