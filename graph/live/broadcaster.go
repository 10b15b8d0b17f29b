package live

import (
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/internal/background"
	"portico/model"
)

// broadcasters are the broadcasters of the spaces that have subscribers in this process, by
// the spaces' ids. The zero value is ready.
type broadcasters struct {
	mu   sync.Mutex
	byID map[string]*broadcaster
}

// broadcaster reads a space once for all of its subscribers in this process. On each signal it
// reads the versions of all entities, then the rows that changed, and appends the changes to its
// log. Each subscriber reads its events from the log at its own speed.
//
// One goroutine, readWhenever, calls read. mu guards the fields below it, and is not held during a
// query.
type broadcaster struct {
	engine *engine
	id     string
	stop   context.CancelFunc
	wake   chan struct{} // receives a signal when a subscriber waits for its first read

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	waiting     []chan struct{} // of the subscribers that wait for their first read; the read closes them
	changed     chan struct{}   // closed and replaced by the next change
	log         spaceLog
	space       *model.Space // the newest state; nil before the first read
	deleted     bool
}

// subscribe adds a subscriber to the broadcaster of the space, and removes it when ctx ends. A
// broadcaster starts with its first subscriber and stops with its last.
func (b *broadcasters) subscribe(ctx context.Context, e *engine, id string, reader access.Reader) *subscriber {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.byID[id]
	if found == nil {
		found = newBroadcaster(e, id)
		if b.byID == nil {
			b.byID = map[string]*broadcaster{}
		}
		b.byID[id] = found
	}
	s := &subscriber{broadcaster: found, reader: reader, joined: make(chan struct{})}
	if visit := reader.VisitOf(id); visit != nil {
		s.visitEnded = visit.Ended
	}
	found.add(s)
	e.open.Add(1)
	context.AfterFunc(ctx, func() {
		e.open.Add(-1)
		b.unsubscribe(s)
	})
	return s
}

func (b *broadcasters) unsubscribe(s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.broadcaster.remove(s) == 0 {
		s.broadcaster.stop()
		delete(b.byID, s.broadcaster.id)
	}
}

func newBroadcaster(e *engine, id string) *broadcaster {
	b := &broadcaster{
		engine: e, id: id, wake: make(chan struct{}, 1),
		subscribers: map[*subscriber]struct{}{}, changed: make(chan struct{}),
	}
	read := func(ctx context.Context) (again, pause time.Duration, err error) {
		more, err := b.read(ctx)
		if more {
			again = moreInterval
		}
		return again, 0, err
	}
	b.stop, _ = e.loops.Go(func(ctx context.Context) { e.readWhenever(ctx, db.SpaceTopic(id), b.wake, read) })
	return b
}

// add adds a subscriber, and requests a read that starts now: a change that was committed before
// must not be an event for the subscriber.
func (b *broadcaster) add(s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers[s] = struct{}{}
	b.waiting = append(b.waiting, s.joined)
	background.Signal(b.wake)
}

// remove removes a subscriber and returns the number of the others.
func (b *broadcaster) remove(s *subscriber) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subscribers, s)
	return len(b.subscribers)
}

// read appends the changes since the last read to the log. more reports whether there are others,
// for the next read.
func (b *broadcaster) read(ctx context.Context) (more bool, err error) {
	if err := b.engine.slots.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer b.engine.slots.Release(1)
	waiting := b.claimWaiting()
	defer func() {
		if err != nil || more {
			b.requeueWaiting(waiting)
		}
	}()
	versions, err := b.engine.db.History().EntityVersions(ctx, b.id)
	if err != nil {
		return false, err
	}
	changed, more, err := b.readChanged(ctx, versions)
	if err != nil {
		return false, err
	}
	// The space is read last. An entity that was added after a caller lost access is then never sent
	// to the caller, because this read finds the lost access.
	space, err := b.engine.db.Spaces().Space(ctx, b.id)
	switch {
	case model.CodeOf(err) == model.CodeNotFound:
		space, more, err = nil, false, nil
	case err != nil:
		return false, err
	}
	b.apply(space, versions, changed)
	if !more {
		for _, joined := range waiting {
			close(joined)
		}
	}
	return more, nil
}

// readChanged reads up to feedBatch entities whose version differs from the version in the log. The
// first read needs only the versions.
func (b *broadcaster) readChanged(ctx context.Context, versions []db.EntityVersion) (changed []db.VersionedEntity, more bool, err error) {
	b.mu.Lock()
	ids := b.log.outdated(versions)
	first := b.space == nil
	b.mu.Unlock()
	if first || len(ids) == 0 {
		return nil, false, nil
	}
	changed, err = b.engine.db.History().VersionedEntities(ctx, b.id, ids[:min(len(ids), feedBatch)], feedBytes)
	size := 0
	for i := range changed {
		size += len(changed[i].Data) + len(changed[i].State)
	}
	return changed, len(ids) > feedBatch || size >= feedBytes, err
}

// claimWaiting takes the subscribers that wait for a read. They must be claimed before the read
// that answers them starts.
func (b *broadcaster) claimWaiting() []chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	waiting := b.waiting
	b.waiting = nil
	select {
	case <-b.wake: // this read is for all subscribers that wait
	default:
	}
	return waiting
}

// requeueWaiting puts back the subscribers whose read has failed. The next read answers them.
func (b *broadcaster) requeueWaiting(waiting []chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, waiting...)
}

// apply appends the changes to the log: the space, then deleted entities, then the other entities
// in the order of their creation. A nil space means that the space was deleted.
//
// Closing changed wakes every subscriber, even a subscriber for which nothing is new; each then
// looks at the log. The log is trimmed last, when all new records are in it.
func (b *broadcaster) apply(space *model.Space, versions []db.EntityVersion, changed []db.VersionedEntity) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, old := b.log.last, b.space
	switch {
	case b.deleted:
		return
	case space == nil:
		b.deleted = true
	case old == nil:
		b.log.reset(versions)
		b.space = space
	default:
		b.space = space
		if !equalExceptVisits(*old, *space) {
			b.log.changeSpace(space)
		}
		b.log.deleteMissing(space, versions)
		for i := range changed {
			b.log.change(space, &changed[i])
		}
	}
	if b.deleted || b.log.last != before {
		close(b.changed)
		b.changed = make(chan struct{})
	}
	b.log.trim(b.passedByAll())
}

// passedByAll returns the position that all subscribers have passed.
//
// A subscriber that has not started does not count: its snapshot is newer than every record.
func (b *broadcaster) passedByAll() uint64 {
	position := b.log.last
	for s := range b.subscribers {
		if s.started {
			position = min(position, s.position)
		}
	}
	return position
}
