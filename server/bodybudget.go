package server

import (
	"slices"
	"sync"
	"time"
)

// maxBodies is the maximum number of bytes of incomplete bodies, of all requests together.
// A body takes several times its size in memory while it is read.
const maxBodies = 24 << 20

// maxSpooled is the maximum number of bytes of the incomplete bodies that are kept on disk
// (rest.SpoolsBody).
const maxSpooled = 512 << 20

// bodyBudget bounds the bytes of bodies that have begun to arrive and are not complete.
// Over the bound, the bodies that began first are dropped: honest bodies are complete within
// milliseconds, so the oldest ones are the stalled ones.
type bodyBudget struct {
	maxBytes int64

	mu     sync.Mutex
	bytes  int64
	bodies []*budgetedBody // the one that began first comes first
}

// budgetedBody is the share of one body. Its methods do nothing after leave.
type budgetedBody struct {
	budget  *bodyBudget
	drop    func() // ends the reading; it must not wait, since the budget is locked
	bytes   int64  // zero after drop
	present bool   // until leave
	dropped bool
}

// enter counts a body. Call leave at the end of the body or of its request.
func (b *bodyBudget) enter(drop func()) *budgetedBody {
	b.mu.Lock()
	defer b.mu.Unlock()
	body := &budgetedBody{budget: b, drop: drop, present: true}
	b.bodies = append(b.bodies, body)
	return body
}

// grow counts bytes that have arrived, and drops the oldest bodies while there are too many.
func (s *budgetedBody) grow(n int) {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.present || s.dropped {
		return
	}
	s.bytes += int64(n)
	b.bytes += int64(n)
	for _, first := range b.bodies {
		if b.bytes <= b.maxBytes {
			return
		}
		if first.bytes > 0 {
			b.bytes -= first.bytes
			first.bytes, first.dropped = 0, true
			first.drop()
		}
	}
}

// extend sets the deadline of the body, unless it was dropped: a new deadline would let a
// dropped body be read on.
func (s *budgetedBody) extend(set func(time.Time) error, deadline time.Time) {
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	if !s.dropped {
		_ = set(deadline) // fails only on a closed connection
	}
}

// leave ends the count. The connection may then serve another request.
func (s *budgetedBody) leave() {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.present {
		return
	}
	s.present = false
	b.bytes -= s.bytes
	b.bodies = slices.DeleteFunc(b.bodies, func(other *budgetedBody) bool { return other == s })
}
