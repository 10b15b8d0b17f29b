package storage

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback lets the kernel start to write the changed bytes of a file to the disk. It does
// not wait for them, and gives no promise: only Sync does. An error has no effect but a slower Sync,
// which reports its own.
func startWriteback(file *os.File) {
	_ = unix.SyncFileRange(int(file.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
