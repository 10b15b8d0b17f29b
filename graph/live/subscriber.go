package live

import (
	"context"
	"time"

	"portico/graph/access"
	"portico/model"
)

// subscriber is one subscription to a space. It has a position in the broadcaster's log. Only
// one goroutine calls Next; the broadcaster's lock guards the fields that the broadcaster reads.
type subscriber struct {
	broadcaster *broadcaster
	reader      access.Reader
	joined      chan struct{} // closed after the first read that starts after the subscriber was added

	// visitEnded is closed when the share link has ended by which the reader has entered; nil without
	// a link, and after the end was noticed.
	visitEnded <-chan struct{}

	started  bool   // has received the snapshot
	ended    bool   // has received the last event
	position uint64 // the last record that it has received or skipped
	// known maps an entry to the sequence of a later record, which the subscriber skips: it has
	// received the newer state of the entry already, in the event of its creation, or the entry was
	// deleted before it received that event. The newest record of the entry removes it from the map.
	known map[*logEntry]uint64
}

// Audience implements Source.
func (s *subscriber) Audience() string { return audienceOf(s.reader, s.broadcaster.id) }

// Next implements Source.
//
// A call means that the event before was received. So the subscriber moves on only as fast as its
// reader.
//
// An entity that cannot be loaded is loaded again after retryInterval, or after the next change.
func (s *subscriber) Next(ctx context.Context) *Event {
	select {
	case <-s.joined:
	case <-ctx.Done():
		return nil
	}
	e, isFailing := s.broadcaster.engine, false
	defer func() { e.failures.end(isFailing) }()
	for ctx.Err() == nil {
		event, missing, changed := s.poll()
		var again <-chan time.Time
		if missing != nil {
			var err error
			event, err = s.load(ctx, missing)
			if ctx.Err() != nil {
				return nil
			}
			if isFailing = e.failures.update(e.log, isFailing, err); isFailing {
				again = time.After(retryInterval())
			}
		}
		if event != nil || s.ended {
			return event
		}
		select {
		case <-changed:
		case <-s.visitEnded:
			s.visitEnded = nil
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// poll returns the next event; or else the entry that must be loaded before the next event; or else
// a channel that is closed by the next change. Each time it checks the caller's rights against the
// newest state of the space.
func (s *subscriber) poll() (event *Event, missing *logEntry, changed <-chan struct{}) {
	s.broadcaster.mu.Lock()
	defer s.broadcaster.mu.Unlock()
	return s.pollLocked()
}

// pollLocked is poll with the lock held. The end of the space comes first, then the right to read,
// then content.
func (s *subscriber) pollLocked() (event *Event, missing *logEntry, changed <-chan struct{}) {
	b := s.broadcaster
	switch {
	case s.ended:
		return nil, nil, nil
	case b.deleted:
		s.ended = true
		return newEvent(&model.SpaceDeleted{SpaceID: b.id}), nil, nil
	case !access.MayRead(s.reader, b.space):
		s.ended = true
		return newEvent(&model.AccessLost{SpaceID: b.id}), nil, nil
	case !s.started:
		s.started, s.position = true, b.log.last
		return newEvent(&model.SpaceSnapshot{Space: b.space}), nil, nil
	}
	for _, record := range b.log.after(s.position) {
		event, skip := s.eventOf(record)
		if event == nil && !skip {
			return nil, record.entry, b.changed
		}
		s.position = record.sequence
		if event != nil {
			return event, nil, nil
		}
	}
	return nil, nil, b.changed
}

// eventOf returns the event of a record for this subscriber; nil if the record is skipped, or its
// state must be loaded.
func (s *subscriber) eventOf(record logRecord) (event *Event, skip bool) {
	entry := record.entry
	switch {
	case record.sequence == entry.created && entry.changed > entry.created:
		// The event of the creation has the newest state, so the record of that state is skipped.
		if !entry.deleted && entry.onCreate == nil {
			return nil, false
		}
		s.markKnown(entry)
		return entry.onCreate, entry.deleted
	case record.sequence == entry.created:
		return entry.onCreate, false
	case record.sequence != entry.changed: // outdated
		return nil, true
	case s.known[entry] == record.sequence:
		delete(s.known, entry)
		return nil, true
	default:
		// The record that the subscriber would skip was outdated before it came to it.
		delete(s.known, entry)
		return entry.onChange, false
	}
}

func (s *subscriber) markKnown(entry *logEntry) {
	if s.known == nil {
		s.known = map[*logEntry]uint64{}
	}
	s.known[entry] = entry.changed
}

// load reads the state of an entity that the log has dropped, and returns the next event. It
// returns nil if the entity has changed in the meantime, because the broadcaster's next read
// appends the change.
//
// It holds the broadcaster's lock only to look at the entry and to store the state, not while it
// reads. The state stays in the log if there is room, for the other slow subscribers.
func (s *subscriber) load(ctx context.Context, entry *logEntry) (*Event, error) {
	b := s.broadcaster
	if err := b.engine.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer b.engine.slots.Release(1)
	found, err := b.engine.db.History().VersionedEntities(ctx, b.id, []string{entry.entityID}, feedBytes)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if entry.deleted || found[0].RowVersion != entry.version {
		return nil, nil
	}
	b.log.setState(entry, b.space, &found[0])
	event, _, _ := s.pollLocked()
	if b.log.bytes > maxLogBytes {
		b.log.dropState(entry)
	}
	return event, nil
}
