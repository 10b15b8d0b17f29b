package private

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// lock is a file with a flock. Two of them decide who owns the cluster.
//
// A flock belongs to the open file, and a child can inherit that. The first
// lock is shared with the server in this way: it is free only when the owner
// and every process of the server have ended. So it is let go by closing, never
// by LOCK_UN, which would take it from the server too. The second is the
// owner's alone: it tells a server that serves from one whose owner was killed.
type lock struct {
	file *os.File
	held atomic.Bool // read by tests while the keeper runs
}

// openLock opens the lock without taking it.
func openLock(path string, a account) (*lock, error) {
	file, err := a.openFile(path, os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the cluster: %w", err)
	}
	return &lock{file: file}, nil
}

// try takes the lock if it is free and reports whether this process has it.
func (l *lock) try() (bool, error) {
	if l.held.Load() {
		return true, nil
	}
	err := l.flock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	l.held.Store(err == nil)
	return err == nil, err
}

// wait takes a lock that others hold for a moment only, in free.
func (l *lock) wait() error {
	if l.held.Load() {
		return nil
	}
	err := l.flock(syscall.LOCK_EX)
	l.held.Store(err == nil)
	return err
}

// free reports whether nobody holds a lock that is never shared with children.
func (l *lock) free() (bool, error) {
	err := l.flock(syscall.LOCK_SH | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, l.flock(syscall.LOCK_UN)
}

// flock calls the system until no signal interrupts it.
func (l *lock) flock(how int) error {
	for {
		err := syscall.Flock(int(l.file.Fd()), how)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("lock %s: %w", l.file.Name(), err)
		}
	}
}

// close lets go of the lock; a server that shares it keeps it.
func (l *lock) close() error { return l.file.Close() }
