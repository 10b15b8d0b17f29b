package live

import (
	"context"
	"strings"
	"sync"

	"portico/graph/access"
)

// maxEncodings is the maximum number of stored encodings of an event, one for each selection set.
// For other selection sets the event is encoded for each subscriber.
const maxEncodings = 8

// Event is an event for many subscribers. It is encoded once for each selection set of their
// documents.
//
// mu guards encodings. The event itself is immutable, and so is an encoding after its done is
// closed.
type Event struct {
	// Content is what happened.
	Content Content

	mu        sync.Mutex
	encodings map[SelectionKey]*encoding
}

// SelectionKey identifies a selection set with its variables.
type SelectionKey [32]byte

// encoding is the data of a response.
type encoding struct {
	done chan struct{} // closed when data is set
	data []byte        // nil if it could not be encoded without errors
}

// Content is a model.SpaceEvent or a model.PresenceEvent.
type Content interface {
	// EventType returns the event's type in the schema.
	EventType() string
}

func newEvent(content Content) *Event { return &Event{Content: content} }

// Source is a subscription whose events are shared with other subscribers.
type Source interface {
	// Next waits for the next event and returns it, or nil at the end. A call means that the
	// subscriber has received the event before.
	Next(ctx context.Context) *Event
	// Audience identifies the subscribers who get the same addresses of files: "" for the addresses
	// that everybody gets.
	Audience() string
}

// audienceOf returns the audience of a reader of the space. Addresses are signed for its owner, and
// for who has share links of its owner.
func audienceOf(reader access.Reader, spaceID string) string {
	owner := access.OwnerOf(spaceID)
	if access.IsCaller(reader.Caller, owner) {
		return "owner"
	}
	return strings.Join(reader.LinksOf(owner), " ")
}

// Data returns the data of the event for a selection set. The first subscriber encodes it, and the
// others wait for it. It returns nil if there is no shared encoding.
//
// done is closed even if encode panics: the others then encode for themselves.
func (e *Event) Data(ctx context.Context, key SelectionKey, encode func() []byte) []byte {
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
func (e *Event) encoding(key SelectionKey) (_ *encoding, isFirst bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if found := e.encodings[key]; found != nil {
		return found, false
	}
	if len(e.encodings) >= maxEncodings {
		return nil, false
	}
	if e.encodings == nil {
		e.encodings = map[SelectionKey]*encoding{}
	}
	added := &encoding{done: make(chan struct{})}
	e.encodings[key] = added
	return added, true
}
