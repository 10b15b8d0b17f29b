package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback lets the kernel start to write the changed bytes of a file to the disk. It does
// not wait for them. Only Sync promises that they are stored, and reports its own errors, so an
// error here only makes Sync slower.
func startWriteback(file *os.File) {
	_ = unix.SyncFileRange(int(file.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
