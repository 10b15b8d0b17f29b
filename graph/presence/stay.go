package presence

import (
	"sync"

	"portico/model"
)

// Stay is the stay of one visitor in a room. Only one goroutine calls Next; another one may call
// Leave.
type Stay struct {
	room   *room
	member *member

	// The lock of the room guards the fields below.
	position uint64 // the last batch that the visitor has
	ended    model.PresenceEnd
	hasLeft  bool
}

// Joined returns the first event of the stay, with all visitors of the room.
func (s *Stay) Joined() *model.PresenceJoined {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	s.position = r.batch
	event := &model.PresenceJoined{VisitorID: s.member.ID, Ticket: r.rooms.ticket(r.id, s.member.ID)}
	for _, m := range r.members {
		event.Visitors = append(event.Visitors, m.visitor())
	}
	return event
}

// visitor returns a copy, because events must not change.
func (m *member) visitor() *model.Visitor {
	v := m.Visitor
	return &v
}

// Leave ends the stay. It may be called several times.
func (s *Stay) Leave() { s.room.rooms.leave(s) }

// Next returns the changes since the last call; or else the reason why the stay has ended; or else
// a channel that is closed by the next change.
func (s *Stay) Next() (batch *Batch, ended model.PresenceEnd, changed <-chan struct{}) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case s.ended != "":
		return nil, s.ended, nil
	case s.position == r.batch:
		return nil, "", r.changed
	}
	batch = r.batches[s.position]
	if batch == nil {
		batch = &Batch{Changes: r.changesSince(s.position)}
		r.batches[s.position] = batch
	}
	s.position = r.batch
	return batch, "", nil
}

// Batch has changes of a room. All visitors who have received the same batches before share it.
type Batch struct {
	Changes *model.PresenceChanged

	once    sync.Once
	encoded any
}

// Encoded returns the result of encode, which it calls only once. Package graph stores the
// encodings of the batch there.
func (b *Batch) Encoded(encode func() any) any {
	b.once.Do(func() { b.encoded = encode() })
	return b.encoded
}

// changesSince returns the changes after a batch, without the changes that wait for the next batch.
func (r *room) changesSince(batch uint64) *model.PresenceChanged {
	changes := &model.PresenceChanged{}
	isNew := func(change uint64) bool { return change > batch && change <= r.batch }
	for _, m := range r.members {
		switch {
		case isNew(m.joined):
			changes.Joined = append(changes.Joined, m.visitor())
		case isNew(m.moved):
			changes.Moved = append(changes.Moved, &model.VisitorMove{ID: m.ID, Pose: m.Pose})
		}
	}
	for _, departure := range r.departures {
		if isNew(departure.batch) {
			changes.Left = append(changes.Left, departure.id)
		}
	}
	return changes
}
