package server

import (
	"slices"
	"sync"
	"time"
)

// maxBodyBytes is the maximum size of all incomplete bodies in memory together, in bytes. A body
// uses several times its size while it is read.
const maxBodyBytes = 24 << 20

// maxSpooledBytes is the maximum size of all incomplete bodies on disk together, in bytes (see
// rest.SpoolsBody).
const maxSpooledBytes = 512 << 20

// bodyBudget limits the total size of the request bodies that are not complete yet. Above the
// limit it drops the oldest bodies. Most bodies are complete within seconds, even on slow lines, so
// the oldest bodies are probably stalled.
//
// A limit on each body is not enough: ten thousand bodies of a megabyte, each a byte short, would
// fill the memory before any of them is refused.
type bodyBudget struct {
	maxBytes int64

	mu     sync.Mutex
	bytes  int64
	bodies []*budgetedBody // oldest first
}

// budgetedBody is one body in a budget. Its methods do nothing after remove.
type budgetedBody struct {
	budget  *bodyBudget
	drop    func() // makes reads fail; must not block, because the budget is locked
	bytes   int64  // 0 after drop
	active  bool   // until remove
	dropped bool
}

// add adds a body. The caller must call remove at the end of the body or of its request.
func (b *bodyBudget) add(drop func()) *budgetedBody {
	b.mu.Lock()
	defer b.mu.Unlock()
	body := &budgetedBody{budget: b, drop: drop, active: true}
	b.bodies = append(b.bodies, body)
	return body
}

// addBytes counts received bytes, and drops the oldest bodies while the budget is exceeded. A
// dropped body stays in the list until its request ends, but counts 0 bytes.
func (body *budgetedBody) addBytes(n int) {
	budget := body.budget
	budget.mu.Lock()
	defer budget.mu.Unlock()
	if !body.active || body.dropped {
		return
	}
	body.bytes += int64(n)
	budget.bytes += int64(n)
	for _, first := range budget.bodies {
		if budget.bytes <= budget.maxBytes {
			return
		}
		if first.bytes > 0 {
			budget.bytes -= first.bytes
			first.bytes, first.dropped = 0, true
			first.drop()
		}
	}
}

// extend sets the deadline of the body, unless the body was dropped: a new deadline would let the
// handler continue to read it.
func (body *budgetedBody) extend(set func(time.Time) error, deadline time.Time) {
	body.budget.mu.Lock()
	defer body.budget.mu.Unlock()
	if !body.dropped {
		_ = set(deadline) // fails only on a closed connection
	}
}

// remove removes the body from the budget. The connection can then serve another request.
func (body *budgetedBody) remove() {
	budget := body.budget
	budget.mu.Lock()
	defer budget.mu.Unlock()
	if !body.active {
		return
	}
	body.active = false
	budget.bytes -= body.bytes
	budget.bodies = slices.DeleteFunc(budget.bodies, func(other *budgetedBody) bool { return other == body })
}
