package graph

import (
	"context"
	"sync"
	"time"

	"portico/db"
	"portico/internal/background"
	"portico/model"
)

// spaceHubs are the hubs of the spaces that have subscribers in this process, by the spaces' ids.
// The zero value is ready.
type spaceHubs struct {
	mu   sync.Mutex
	byID map[string]*spaceHub
}

// spaceHub reads a space once for all of its subscribers in this process. On each signal it reads
// the versions of all entities, then the rows that changed, and appends the changes to its log.
// Each subscriber reads its events from the log at its own speed.
//
// One goroutine, readWhenever, calls read. mu guards the fields below it, and is not held during a
// query.
type spaceHub struct {
	resolver *Resolver
	id       string
	stop     context.CancelFunc
	wake     chan struct{} // receives a signal when a subscriber waits for its first read

	mu          sync.Mutex
	subscribers map[*spaceSubscriber]struct{}
	waiting     []chan struct{} // of the subscribers that wait for their first read; the read closes them
	changed     chan struct{}   // closed and replaced by the next change
	log         spaceLog
	space       *model.Space // the newest state; nil before the first read
	deleted     bool
}

// subscribe adds a subscriber to the hub of the space, and removes it when ctx ends. A hub starts
// with its first subscriber and stops with its last.
func (h *spaceHubs) subscribe(ctx context.Context, r *Resolver, id string, c *model.Caller) *spaceSubscriber {
	h.mu.Lock()
	defer h.mu.Unlock()
	hub := h.byID[id]
	if hub == nil {
		hub = newSpaceHub(r, id)
		if h.byID == nil {
			h.byID = map[string]*spaceHub{}
		}
		h.byID[id] = hub
	}
	s := &spaceSubscriber{hub: hub, caller: c, joined: make(chan struct{})}
	hub.add(s)
	r.subscriptions.Add(1)
	context.AfterFunc(ctx, func() {
		r.subscriptions.Add(-1)
		h.unsubscribe(s)
	})
	return s
}

func (h *spaceHubs) unsubscribe(s *spaceSubscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.hub.remove(s) == 0 {
		s.hub.stop()
		delete(h.byID, s.hub.id)
	}
}

func newSpaceHub(r *Resolver, id string) *spaceHub {
	h := &spaceHub{
		resolver: r, id: id, wake: make(chan struct{}, 1),
		subscribers: map[*spaceSubscriber]struct{}{}, changed: make(chan struct{}),
	}
	read := func(ctx context.Context) (again, pause time.Duration, err error) {
		more, err := h.read(ctx)
		if more {
			again = moreInterval
		}
		return again, 0, err
	}
	h.stop, _ = r.backgroundReads.Go(func(ctx context.Context) { r.readWhenever(ctx, db.SpaceTopic(id), h.wake, read) })
	return h
}

// add adds a subscriber, and requests a read that starts now: a change that was committed before
// must not be an event for the subscriber.
func (h *spaceHub) add(s *spaceSubscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers[s] = struct{}{}
	h.waiting = append(h.waiting, s.joined)
	background.Signal(h.wake)
}

// remove removes a subscriber and returns the number of the others.
func (h *spaceHub) remove(s *spaceSubscriber) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subscribers, s)
	return len(h.subscribers)
}

// read appends the changes since the last read to the log. more reports whether there are others,
// for the next read.
func (h *spaceHub) read(ctx context.Context) (more bool, err error) {
	release, err := h.resolver.readSlots.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	waiting := h.claimWaiting()
	defer func() {
		if err != nil || more {
			h.requeueWaiting(waiting)
		}
	}()
	versions, err := h.resolver.DB.EntityVersions(ctx, h.id)
	if err != nil {
		return false, err
	}
	changed, more, err := h.readChanged(ctx, versions)
	if err != nil {
		return false, err
	}
	// The space is read last. An entity that was added after a caller lost access is then never sent
	// to the caller, because this read finds the lost access.
	space, err := h.resolver.DB.Space(ctx, h.id)
	switch {
	case model.CodeOf(err) == model.CodeNotFound:
		space, more, err = nil, false, nil
	case err != nil:
		return false, err
	}
	h.apply(space, versions, changed)
	if !more {
		for _, joined := range waiting {
			close(joined)
		}
	}
	return more, nil
}

// readChanged reads up to feedBatch entities whose version differs from the version in the log. The
// first read needs only the versions.
func (h *spaceHub) readChanged(ctx context.Context, versions []db.EntityVersion) (changed []db.VersionedEntity, more bool, err error) {
	h.mu.Lock()
	ids := h.log.outdated(versions)
	first := h.space == nil
	h.mu.Unlock()
	if first || len(ids) == 0 {
		return nil, false, nil
	}
	changed, err = h.resolver.DB.VersionedEntities(ctx, h.id, ids[:min(len(ids), feedBatch)], feedBytes)
	size := 0
	for i := range changed {
		size += len(changed[i].Data) + len(changed[i].State)
	}
	return changed, len(ids) > feedBatch || size >= feedBytes, err
}

// claimWaiting takes the subscribers that wait for a read. They must be claimed before the read
// that answers them starts.
func (h *spaceHub) claimWaiting() []chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	waiting := h.waiting
	h.waiting = nil
	select {
	case <-h.wake: // this read is for all subscribers that wait
	default:
	}
	return waiting
}

// requeueWaiting puts back the subscribers whose read has failed. The next read answers them.
func (h *spaceHub) requeueWaiting(waiting []chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = append(h.waiting, waiting...)
}

// apply appends the changes to the log: the space, then deleted entities, then the other entities
// in the order of their creation. A nil space means that the space was deleted.
//
// Closing changed wakes every subscriber, even a subscriber for which nothing is new; each then
// looks at the log. The log is trimmed last, when all new records are in it.
func (h *spaceHub) apply(space *model.Space, versions []db.EntityVersion, changed []db.VersionedEntity) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, old := h.log.last, h.space
	switch {
	case h.deleted:
		return
	case space == nil:
		h.deleted = true
	case old == nil:
		h.log.reset(versions)
		h.space = space
	default:
		h.space = space
		if !equalExceptVisits(*old, *space) {
			h.log.changeSpace(space)
		}
		h.log.deleteMissing(space, versions)
		for i := range changed {
			h.log.change(space, &changed[i])
		}
	}
	if h.deleted || h.log.last != before {
		close(h.changed)
		h.changed = make(chan struct{})
	}
	h.log.trim(h.passedByAll())
}

// passedByAll returns the position that all subscribers have passed.
//
// A subscriber that has not started does not count: its snapshot is newer than every record.
func (h *spaceHub) passedByAll() uint64 {
	position := h.log.last
	for s := range h.subscribers {
		if s.started {
			position = min(position, s.position)
		}
	}
	return position
}
