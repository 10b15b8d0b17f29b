package graph

import (
	"context"

	"portico/model"
)

// spaceFollower is one subscription to a space. It remembers a position in the hub's log.
// One goroutine calls next; the hub's lock guards the fields that the hub reads.
type spaceFollower struct {
	hub    *spaceHub
	caller *model.Caller
	joined chan struct{} // closed when a read that started after the follower came is done

	started  bool   // has received the snapshot
	ended    bool   // has received the last event
	position uint64 // the last record that it has received or skipped
	// known are entries whose state at this sequence number the follower has, or does not
	// need, although their record is still ahead: it received them with a newer state than
	// they were created with, or they were deleted before it received them.
	known map[*logEntry]uint64
}

// isOwner implements eventSource.
func (f *spaceFollower) isOwner() bool {
	return owns(f.caller, &model.Space{OwnerID: ownerOf(f.hub.id)})
}

// next implements eventSource.
func (f *spaceFollower) next(ctx context.Context) *sharedEvent {
	select {
	case <-f.joined:
	case <-ctx.Done():
		return nil
	}
	for ctx.Err() == nil {
		event, missing, changed := f.take()
		if missing != nil {
			event = f.load(ctx, missing)
		}
		if event != nil || f.ended {
			return event
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil
}

// take returns the next event; or an entry that must be loaded first; or neither, and a
// channel that is closed when there is something new. It checks the caller's rights
// against the newest state of the space each time.
func (f *spaceFollower) take() (event *sharedEvent, missing *logEntry, changed <-chan struct{}) {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	return f.takeLocked()
}

func (f *spaceFollower) takeLocked() (event *sharedEvent, missing *logEntry, changed <-chan struct{}) {
	h := f.hub
	switch {
	case f.ended:
		return nil, nil, nil
	case h.deleted:
		f.ended = true
		return newSharedEvent(&model.SpaceDeleted{SpaceID: h.id}), nil, nil
	case !mayRead(f.caller, h.space):
		f.ended = true
		return newSharedEvent(&model.AccessLost{SpaceID: h.id}), nil, nil
	case !f.started:
		f.started, f.position = true, h.log.last
		return newSharedEvent(&model.SpaceSnapshot{Space: h.space}), nil, nil
	}
	for _, record := range h.log.after(f.position) {
		event, skip := f.eventOf(record)
		if event == nil && !skip {
			return nil, record.entry, h.changed
		}
		f.position = record.sequence
		if event != nil {
			return event, nil, nil
		}
	}
	return nil, nil, h.changed
}

// eventOf returns the event of a record for this follower, or whether it skips the record.
func (f *spaceFollower) eventOf(record logRecord) (event *sharedEvent, skip bool) {
	entry := record.entry
	switch {
	case record.sequence == entry.created && entry.changed > entry.created:
		// The newest state is sent here, and its own record is skipped.
		if !entry.deleted && entry.onCreate == nil {
			return nil, false
		}
		f.know(entry)
		return entry.onCreate, entry.deleted
	case record.sequence == entry.created:
		return entry.onCreate, false
	case record.sequence != entry.changed: // outdated
		return nil, true
	case f.known[entry] == record.sequence:
		delete(f.known, entry)
		return nil, true
	default:
		return entry.onChange, false
	}
}

func (f *spaceFollower) know(entry *logEntry) {
	if f.known == nil {
		f.known = map[*logEntry]uint64{}
	}
	f.known[entry] = entry.changed
}

// load reads the state of an entity that the log has dropped, and returns the next event.
// It returns nil if the entity has changed since: the hub's next read appends the change.
func (f *spaceFollower) load(ctx context.Context, entry *logEntry) *sharedEvent {
	h := f.hub
	release, err := h.resolver.readSlots.acquire(ctx)
	if err != nil {
		return nil
	}
	defer release()
	found, err := h.resolver.DB.VersionedEntities(ctx, h.id, []string{entry.entityID}, feedBytes)
	if err != nil || len(found) == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if entry.deleted || found[0].RowVersion != entry.version {
		return nil
	}
	h.log.setState(entry, h.space, &found[0])
	event, _, _ := f.takeLocked()
	if h.log.bytes > maxLogBytes {
		h.log.dropState(entry)
	}
	return event
}
