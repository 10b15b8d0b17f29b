package presence

import (
	"sync"
	"time"

	"portico/model"
)

// room has the visitors of a space.
//
// A change is not stored. Each member has the numbers of the batches that report when it joined and
// when it last moved, and the changes since a batch are computed from these numbers. So a visitor
// who has missed a hundred batches costs no more memory than one who has missed none, and receives
// only the newest pose of each member. Departures are the exception: they are kept until every
// visitor of this process has received them.
//
// A change between two batches has the number of the next one, batch+1. flush increments the
// number, which makes the changes visible, and wakes all visitors by closing changed.
//
// Rooms.mu is locked before mu, never after it. Nothing waits for the network while mu is locked:
// messages to other processes are only queued.
type room struct {
	rooms *Rooms
	id    string

	mu         sync.Mutex
	members    map[string]*member
	batch      uint64 // the number of the last batch
	departures []departure
	// removals are the visitors of other processes that must leave, and until when this process
	// asks again. nil until there is one.
	removals map[string]time.Time
	pending  bool        // whether a change waits for the next batch
	timer    *time.Timer // of the next batch; nil before the first one
	last     time.Time   // the time of the last batch
	changed  chan struct{}
	batches  map[uint64]*Batch // by the last batch that a visitor has: the changes since then
}

// member is a visitor of a room.
type member struct {
	model.Visitor
	// banKey is of the account or address. It is empty if neither is known.
	banKey        string
	joined, moved uint64    // the batches that report the visitor
	since         int64     // when the visitor joined, in nanoseconds of Unix time
	stay          *Stay     // nil for a visitor of another process
	from          string    // the other process
	seen          time.Time // when the other process last sent the visitor
	moves         moveLimit
}

// departure is a visitor who left, and the batch that reports it.
type departure struct {
	batch uint64
	id    string
	local bool // whether it was a visitor of this process
}

func newRoom(rooms *Rooms, id string) *room {
	return &room{
		rooms: rooms, id: id, members: map[string]*member{}, changed: make(chan struct{}), batches: map[uint64]*Batch{},
	}
}

// join adds a visitor with a ban key, or returns the reason for the refusal.
//
// It looks at the bans while mu is locked: a ban is either seen here, or the visitor is already a
// member when the stays of the banned visitor end.
func (r *room) join(guest Guest, key string) (*Stay, model.PresenceEnd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if !guest.IsOwner && r.rooms.bans.has(key, now) {
		return nil, model.PresenceRemoved
	}
	if len(r.members) >= model.MaxVisitors || r.countOf(key) >= maxPerSubject {
		return nil, model.PresenceFull
	}
	m := &member{banKey: key, joined: r.batch + 1, since: now.UnixNano(), moves: newMoveLimit(now)}
	m.Visitor = model.Visitor{ID: newVisitorID(), Name: guest.Name, IsOwner: guest.IsOwner}
	m.stay = &Stay{room: r, member: m, position: r.batch}
	r.members[m.ID] = m
	r.scheduleBatch()
	return m.stay, ""
}

// countOf returns how many visitors of all processes have the account or address with the ban key.
func (r *room) countOf(key string) (count int) {
	for _, m := range r.members {
		if key != "" && m.banKey == key {
			count++
		}
	}
	return count
}

// leave removes the visitor, and reports whether the visitor was there. isEmpty reports whether the
// room has no visitors of this process.
func (r *room) leave(s *Stay) (wasPresent, isEmpty bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members[s.member.ID] == s.member {
		r.drop(s.member)
	}
	wasPresent, s.hasLeft = !s.hasLeft, true
	for _, m := range r.members {
		if m.stay != nil {
			return wasPresent, false
		}
	}
	return wasPresent, true
}

// drop removes a visitor of the room. The next batch reports it.
func (r *room) drop(m *member) {
	delete(r.members, m.ID)
	r.departures = append(r.departures, departure{r.batch + 1, m.ID, m.stay != nil})
	r.scheduleBatch()
}

// move sets the pose of a visitor of this process. Of a visitor of another process it only counts
// the move, and isOwn is false.
func (r *room) move(visitorID string, pose model.Pose, now time.Time) (isOwn bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.members[visitorID]
	if m == nil {
		return false, model.NotFound(visitorGone)
	}
	isOwn = m.stay != nil
	if wait := m.moves.take(now); wait > 0 {
		return isOwn, &model.Error{Code: model.CodeRateLimited, Message: movesTooFast, RetryAfter: max(time.Second, wait)}
	}
	if isOwn && !equalPose(m.Pose, pose) {
		m.Pose, m.moved = pose, r.batch+1
		r.scheduleBatch()
	}
	return isOwn, nil
}

// remove bans the account or address of a visitor of this process, ends all its stays, and returns
// its ban key. It refuses to remove an owner.
func (r *room) remove(visitorID string) (key string, removed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.members[visitorID]
	switch {
	case m == nil:
		return "", false, nil
	case m.IsOwner:
		return "", false, model.Invalidf("The owner of a space cannot be removed").WithField("visitorId")
	}
	if m.stay == nil {
		return "", false, nil
	}
	now := time.Now()
	r.rooms.bans.add(m.banKey, now.Add(banDuration), now)
	r.expel(m, model.PresenceRemoved)
	r.expelAll(m.banKey)
	return m.banKey, true, nil
}

// removeBanned ends the stays of the visitors of this process that have the key of a ban.
func (r *room) removeBanned(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expelAll(key)
}

// expelAll ends the stays of the account or address with a ban key, but not of the owner.
func (r *room) expelAll(key string) {
	for _, m := range r.members {
		if m.stay != nil && key != "" && m.banKey == key && !m.IsOwner {
			r.expel(m, model.PresenceRemoved)
		}
	}
}

// expel removes a visitor of this process and ends the stay.
func (r *room) expel(m *member, reason model.PresenceEnd) {
	m.stay.ended = reason
	r.drop(m)
}

// scheduleBatch starts the timer of the next batch, which reports the pending changes. After a
// quiet interval the batch is built immediately. After Rooms.Close there are no more batches.
func (r *room) scheduleBatch() {
	if r.pending || r.rooms.closed.Load() {
		return
	}
	r.pending = true
	r.timer = time.AfterFunc(max(0, time.Until(r.last.Add(r.rooms.options.Interval))), r.flush)
}

// stopTimer stops the timer of the next batch.
func (r *room) stopTimer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
}

// flush ends the batch of the pending changes, and wakes the visitors.
func (r *room) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rooms.closed.Load() {
		return // the timer has fired during Close, which stops only the timers of rooms with visitors
	}
	r.pending, r.last = false, time.Now()
	r.batch++
	clear(r.batches)
	r.sendBatch()
	r.forgetDepartures()
	close(r.changed)
	r.changed = make(chan struct{})
}

// forgetDepartures removes the departures that all visitors have received.
func (r *room) forgetDepartures() {
	position := r.batch
	for _, m := range r.members {
		if m.stay != nil {
			position = min(position, m.stay.position)
		}
	}
	known := 0
	for known < len(r.departures) && r.departures[known].batch <= position {
		known++
	}
	r.departures = r.departures[known:]
}

// equalPose compares the coordinates, and not the slices that hold them.
func equalPose(a, b model.Pose) bool {
	if len(a.Position) != len(b.Position) || a.Yaw != b.Yaw || a.Pitch != b.Pitch {
		return false
	}
	for i, value := range a.Position {
		if value != b.Position[i] {
			return false
		}
	}
	return true
}
