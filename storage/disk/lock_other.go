//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package disk

import (
	"errors"
	"os"
)

// tryLock always fails, since these systems have no flock: cleanLeftover uses the age of
// a file instead.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// closeAndUnlock closes a file, which is never locked on this system.
func closeAndUnlock(file *os.File) error { return file.Close() }
