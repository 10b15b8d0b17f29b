package tus

import (
	"context"
	"net/http"
	"sync"

	tusd "github.com/tus/tusd/v2/pkg/handler"
)

// locks lets one request at a time use an upload. A second PATCH is refused. HEAD and DELETE
// interrupt a PATCH: their client has abandoned it, and the server may not have noticed yet that
// the connection is broken. For requests to other processes, AppendUpload has a lease.
type locks struct {
	mu   sync.Mutex
	held map[string]*holder
}

type holder struct {
	interrupt func()
	released  chan struct{}
}

// lock is the lock of one upload, for one request.
type lock struct {
	locks  *locks
	id     string
	holder *holder // nil before the lock is acquired
}

// interrupt interrupts the request that has the lock of an upload, if there is one.
func (l *locks) interrupt(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if holder := l.held[id]; holder != nil {
		holder.interrupt()
	}
}

// NewLock implements tusd.Locker.
func (l *locks) NewLock(id string) (tusd.Lock, error) { return &lock{locks: l, id: id}, nil }

// Lock implements tusd.Lock.
//
// The request that is interrupted stores what it has received, and then releases the lock. So the
// offset that HEAD returns has these bytes.
func (l *lock) Lock(ctx context.Context, interrupt func()) error {
	for {
		other := l.acquire(interrupt)
		if other == nil {
			return nil
		}
		if r, ok := ctx.Value(requestKey{}).(*request); !ok || r.http.Method == http.MethodPatch {
			return tusd.ErrFileLocked
		}
		other.interrupt()
		select {
		case <-other.released:
		case <-ctx.Done():
			return tusd.ErrFileLocked
		}
	}
}

// acquire acquires the lock, or returns the request that has it.
func (l *lock) acquire(interrupt func()) *holder {
	l.locks.mu.Lock()
	defer l.locks.mu.Unlock()
	if other := l.locks.held[l.id]; other != nil {
		return other
	}
	if l.locks.held == nil {
		l.locks.held = map[string]*holder{}
	}
	l.holder = &holder{interrupt, make(chan struct{})}
	l.locks.held[l.id] = l.holder
	return nil
}

// Unlock implements tusd.Lock.
func (l *lock) Unlock() error {
	l.locks.mu.Lock()
	defer l.locks.mu.Unlock()
	delete(l.locks.held, l.id)
	close(l.holder.released)
	return nil
}
