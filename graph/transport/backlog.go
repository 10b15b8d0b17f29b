package transport

import (
	"container/list"
	"sync"
	"time"
)

// minDropAge is how long a message may be on its way before its connection can be
// dropped in favour of others. A client that reads receives it within milliseconds.
const minDropAge = time.Second

// Backlog limits the bytes of all messages that were sent and not yet received, over all
// subscribers together. Above the limit it drops the connections with the oldest messages,
// if these are a second old; their clients connect again. WebSocket and SSE may share one.
// A nil Backlog has no limit.
type Backlog struct {
	maxBytes int

	mu      sync.Mutex
	bytes   int
	pending list.List   // of *pendingMessage, oldest first
	timer   *time.Timer // runs dropOldest again; nil while none is needed
}

// pendingMessage is a message on its way to a client.
type pendingMessage struct {
	size  int
	since time.Time
	drop  func() // closes the connection; nil once it was called
}

// NewBacklog returns a backlog of up to maxBytes.
func NewBacklog(maxBytes int) *Backlog { return &Backlog{maxBytes: maxBytes} }

// Add counts a message until remove is called. drop must make its sender call remove
// soon, and must not block.
func (b *Backlog) Add(size int, drop func()) (remove func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += size
	element := b.pending.PushBack(&pendingMessage{size, time.Now(), drop})
	b.dropOldest()
	return func() { b.remove(element, size) }
}

func (b *Backlog) remove(element *list.Element, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending.Remove(element)
	b.bytes -= size
	if b.timer != nil && b.bytes <= b.maxBytes {
		b.timer.Stop()
		b.timer = nil
	}
}

// dropOldest drops connections until the messages of the others fit. Where the next one
// is too young it sets a timer: no other message may come that would look again.
func (b *Backlog) dropOldest() {
	left := b.bytes
	for element := b.pending.Front(); element != nil && left > b.maxBytes; element = element.Next() {
		message := element.Value.(*pendingMessage) //nolint:forcetypeassert // Add puts nothing else in
		if age := time.Since(message.since); age < minDropAge {
			b.dropLater(minDropAge - age)
			return
		}
		left -= message.size // also of those dropped before, which are about to go
		if message.drop != nil {
			message.drop()
			message.drop = nil
		}
	}
}

func (b *Backlog) dropLater(wait time.Duration) {
	if b.timer != nil {
		return
	}
	b.timer = time.AfterFunc(wait, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.timer = nil
		b.dropOldest()
	})
}
