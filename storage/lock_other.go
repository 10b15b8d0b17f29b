//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package storage

import (
	"errors"
	"os"
)

// tryLock has no flock to use here: leftovers are recognised by their age alone.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
