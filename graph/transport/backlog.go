package transport

import (
	"slices"
	"sync"
	"time"
)

// patience is how long a message may be on its way before it can be given up for
// others. Who reads takes it in milliseconds.
const patience = time.Second

// Backlog bounds what all subscribers together have not taken yet. While there is
// more, those who have kept a message waiting the longest, and for a second at
// least, are let go of: they connect again. Sockets and streams may share one. A
// nil Backlog has no bound.
type Backlog struct {
	most int

	mu      sync.Mutex
	bytes   int
	waiting []*parcel // the one that waits the longest first
}

// parcel is a message on its way.
type parcel struct {
	size  int
	since time.Time
	drop  func() // ends the connection; nil once it was called
}

// NewBacklog returns a backlog of at most so many bytes.
func NewBacklog(most int) *Backlog { return &Backlog{most: most} }

// Enter counts a message until leave is called. Drop must make it leave soon, and
// must not wait.
func (b *Backlog) Enter(size int, now time.Time, drop func()) (leave func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &parcel{size, now, drop}
	b.bytes += size
	b.waiting = append(b.waiting, p)
	b.relieve(now)
	return func() { b.leave(p) }
}

func (b *Backlog) leave(p *parcel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(other *parcel) bool { return other == p })
	b.bytes -= p.size
}

// relieve lets go of as many as it takes. Those that were let go of before are as
// good as gone.
func (b *Backlog) relieve(now time.Time) {
	left := b.bytes
	for _, p := range b.waiting {
		if left <= b.most || now.Sub(p.since) < patience {
			return
		}
		left -= p.size
		if p.drop != nil {
			p.drop()
			p.drop = nil
		}
	}
}
