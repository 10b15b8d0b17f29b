package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock locks an open file and reports whether it did; false means that another process
// has the lock. The kernel releases the lock when the file is closed or its process dies.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return false, errors.ErrUnsupported
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return true, nil
}

// closeAndUnlock unlocks and closes a file. Closing alone does not unlock it while a process is
// being started: that has a copy of every open file until it runs its program.
func closeAndUnlock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	return errors.Join(err, file.Close())
}
