package private

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// lock is a file with an advisory lock (flock). Two locks determine the owner of the
// cluster.
//
// A flock belongs to the open file, which child processes can inherit. The server's lock
// is shared with the server in this way, so it is free only when the owner and every
// process of the server have ended. It must be released by closing the file: LOCK_UN would
// release it for the server too. The owner's lock is held by the owner only, and
// distinguishes a server with an owner from a server whose owner was killed.
type lock struct {
	file *os.File
	held atomic.Bool // read by tests while the keeper runs
}

// openLock opens the lock's file without locking it.
func openLock(path string, a account) (*lock, error) {
	file, err := a.openFile(path, os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the cluster: %w", err)
	}
	return &lock{file: file}, nil
}

// try acquires the lock if it is free, and reports whether this process holds it.
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

// wait acquires a lock that other processes hold only briefly, in isFree.
func (l *lock) wait() error {
	if l.held.Load() {
		return nil
	}
	err := l.flock(syscall.LOCK_EX)
	l.held.Store(err == nil)
	return err
}

// isFree reports whether no process holds the lock. The lock must not be shared with
// children.
func (l *lock) isFree() (bool, error) {
	err := l.flock(syscall.LOCK_SH | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, l.flock(syscall.LOCK_UN)
}

// flock calls flock(2), again if a signal interrupts it.
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

// close releases the lock. A server that shares it keeps it.
func (l *lock) close() error { return l.file.Close() }
