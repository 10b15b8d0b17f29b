package graph

import (
	"context"
	"sync"
)

// maxEncodings is the maximum number of stored encodings of an event, one for each selection set.
// For other selection sets the event is encoded for each subscriber.
const maxEncodings = 8

// sharedEvent is an event for many subscribers. It is encoded once for each selection set of their
// documents.
//
// mu guards encodings. The event itself is immutable, and so is an encoding after its done is
// closed.
type sharedEvent struct {
	event subscriptionEvent

	mu        sync.Mutex
	encodings map[selectionKey]*encoding
}

// selectionKey identifies a selection set with its variables.
type selectionKey [32]byte

// encoding is the data of a response.
type encoding struct {
	done chan struct{} // closed when data is set
	data []byte        // nil if it could not be encoded without errors
}

// subscriptionEvent is a model.SpaceEvent or a model.PresenceEvent.
type subscriptionEvent interface {
	// EventType returns the event's type in the schema.
	EventType() string
}

func newSharedEvent(event subscriptionEvent) *sharedEvent { return &sharedEvent{event: event} }

// eventSource is a subscription whose events are shared with other subscribers.
type eventSource interface {
	// next waits for the next event and returns it, or nil at the end. A call means that the
	// subscriber has received the event before.
	next(ctx context.Context) *sharedEvent
	// isOwner reports whether the subscriber owns the space.
	isOwner() bool
}

// data returns the data of the event for a selection set. The first subscriber encodes it, and the
// others wait for it. It returns nil if there is no shared encoding.
//
// done is closed even if encode panics: the others then encode for themselves.
func (e *sharedEvent) data(ctx context.Context, key selectionKey, encode func() []byte) []byte {
	found, isFirst := e.encoding(key)
	if found == nil {
		return nil
	}
	if isFirst {
		defer close(found.done)
		found.data = encode()
		return found.data
	}
	select {
	case <-found.done:
		return found.data
	case <-ctx.Done():
		return nil
	}
}

// encoding returns the encoding for a selection set, and whether the caller must fill it; nil when
// there are maxEncodings others.
func (e *sharedEvent) encoding(key selectionKey) (_ *encoding, isFirst bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if found := e.encodings[key]; found != nil {
		return found, false
	}
	if len(e.encodings) >= maxEncodings {
		return nil, false
	}
	if e.encodings == nil {
		e.encodings = map[selectionKey]*encoding{}
	}
	added := &encoding{done: make(chan struct{})}
	e.encodings[key] = added
	return added, true
}
