package transport

import (
	"container/list"
	"sync"
	"time"
)

// minDropAge is the minimum age of a message for which its connection is dropped. A client that
// reads receives a message within milliseconds.
const minDropAge = time.Second

// Backlog limits the total bytes of the messages that wait to be sent to subscribers. Over the
// limit it drops the connections with the oldest messages, if these are at least a second old.
// Their clients connect again. WebSocket and SSE may share a Backlog. A nil Backlog has no limit.
//
// The oldest message belongs to the client that has not read for the longest time. Dropping by age
// keeps the clients that read, however many messages they get.
type Backlog struct {
	maxBytes int

	mu      sync.Mutex
	bytes   int
	pending list.List   // of *pendingMessage, oldest first
	timer   *time.Timer // runs dropOldest again; nil while none is needed
}

// pendingMessage is a message that waits to be sent.
type pendingMessage struct {
	size  int
	since time.Time
	drop  func() // closes the connection; nil once it was called
}

// NewBacklog returns a backlog that drops connections when its messages exceed maxBytes.
func NewBacklog(maxBytes int) *Backlog { return &Backlog{maxBytes: maxBytes} }

// Add counts a message of this size in bytes until remove is called. drop closes the connection of
// the message: it must not block, and the sender must then call remove soon.
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

// remove removes a message that was written or given up.
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

// dropOldest drops connections until the other messages fit into the limit. If the oldest message
// is too young, it starts a timer, because there may be no other message whose Add would check
// again.
func (b *Backlog) dropOldest() {
	left := b.bytes
	for element := b.pending.Front(); element != nil && left > b.maxBytes; element = element.Next() {
		message := element.Value.(*pendingMessage) //nolint:forcetypeassert // Add puts nothing else in
		if age := time.Since(message.since); age < minDropAge {
			b.dropLater(minDropAge - age)
			return
		}
		left -= message.size // a connection that was dropped before is about to remove its messages
		if message.drop != nil {
			message.drop()
			message.drop = nil
		}
	}
}

// dropLater calls dropOldest after a wait, unless it waits already. The caller holds mu.
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
