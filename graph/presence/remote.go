package presence

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"portico/model"
)

const (
	// stateInterval is how often each process sends the full state of its rooms, so that a
	// lost message has no lasting effect.
	stateInterval = 5 * time.Second
	// remoteTimeout is how long the visitors of a process that sends no state stay in a room.
	remoteTimeout = 3 * stateInterval
)

// message is a message of the process From about a space. These are the messages from the first to
// the last visitor of a process:
//
//   - When its channel of the space is open, it sends Hello. Every other process with visitors
//     of the space responds with its Full state, and the new process sends its own.
//   - With each batch it sends the visitors who joined or moved, and who Left.
//   - Every stateInterval it sends its Full state. The receivers drop the visitors that are not in it,
//     so a lost Left is repaired, and drop all visitors of a process that has been silent for
//     remoteTimeout, because it was killed.
//   - After its last visitor it sends a Full state without visitors.
//
// Only the process to which a visitor is connected changes that visitor. The others ask it by Move
// and Remove, and learn the result from its next batch. Redis keeps no message for a process whose
// channel is not open yet, so every process that knows of a Remove repeats it when the visitor is
// in a later message.
type message struct {
	From string `json:"from"`
	// Hello asks the others for their full state.
	Hello bool `json:"hello,omitempty"`
	// Full means that Visitors are all visitors of the process.
	Full     bool            `json:"full,omitempty"`
	Visitors []remoteVisitor `json:"visitors,omitempty"`
	Left     []string        `json:"left,omitempty"`
	// Move and Remove are for the process that has the visitor.
	Move   *remoteMove `json:"move,omitempty"`
	Remove string      `json:"remove,omitempty"`
	// Ban is the key of the ban of a removed account or address. All its stays end.
	Ban string `json:"ban,omitempty"`
}

// remoteVisitor is a visitor who has joined or moved.
type remoteVisitor struct {
	model.Visitor
	// Since is when the visitor joined, in nanoseconds of Unix time.
	Since int64 `json:"since"`
	// Key is the ban key of the visitor's account or address. It is empty if neither is known.
	Key string `json:"key,omitempty"`
}

// remoteMove is a move of a visitor of another process.
type remoteMove struct {
	ID string `json:"id"`
	model.Pose
}

// deliver applies a message of another process to the room of a space. Of messages about a space
// without visitors of this process it keeps only the ban.
func (r *Rooms) deliver(spaceID string, m *message) {
	if m.Ban != "" {
		// The sender may have failed to store the ban in Redis.
		r.bans.add(m.Ban, time.Now().Add(banDuration), time.Now())
	}
	room := r.room(spaceID)
	if room == nil {
		return
	}
	if m.Move != nil {
		// The sender has checked the ticket. A move over the limit is dropped: the sender has
		// responded to the client already.
		_, _ = room.move(m.Move.ID, m.Move.Pose, time.Now())
	}
	if m.Remove != "" {
		// The sender has checked the rights of the caller, and has responded to the client already.
		// An owner stays, so the removal is not stored: it would be sent again and again.
		isOwn, err := r.removeOwn(model.RemoveVisitor{SpaceID: spaceID, VisitorID: m.Remove})
		if !isOwn && err == nil {
			room.storeRemoval(m.Remove)
		}
	}
	if m.Ban != "" {
		room.removeBanned(m.Ban)
	}
	room.apply(m)
}

// exchangeStates asks the other processes for their visitors of a space, and sends the visitors of
// this process.
func (r *Rooms) exchangeStates(spaceID string) {
	r.bus.enqueue(queued{spaceID: spaceID, message: &message{From: r.process, Hello: true}})
	if room := r.room(spaceID); room != nil {
		room.mu.Lock()
		defer room.mu.Unlock()
		room.sendAll()
	}
}

// apply updates the visitors of the process that sent the message.
func (r *room) apply(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Hello {
		r.sendAll()
	}
	if m.Full {
		r.dropAbsent(m)
	}
	for i := range m.Visitors {
		visitor := &m.Visitors[i]
		r.updateRemote(m.From, visitor)
		until, known := r.removals[visitor.ID]
		// The process of an owner would refuse the removal each time, so none is sent.
		if known && time.Now().Before(until) && !visitor.IsOwner {
			r.rooms.bus.enqueue(queued{spaceID: r.id, message: &message{From: r.rooms.process, Remove: visitor.ID}})
		}
	}
	for _, id := range m.Left {
		if visitor := r.members[id]; visitor != nil && visitor.stay == nil && visitor.from == m.From {
			r.drop(visitor)
		}
	}
	r.dropSurplus()
}

// storeRemoval stores that a visitor of another process must leave. This process asks again for
// remoteTimeout, in which the other one sends its state several times.
func (r *room) storeRemoval(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(r.removals, func(_ string, until time.Time) bool { return now.After(until) })
	if r.removals == nil {
		r.removals = map[string]time.Time{}
	}
	r.removals[id] = now.Add(remoteTimeout)
}

// dropAbsent drops the visitors of a process that are not in its full state.
func (r *room) dropAbsent(m *message) {
	for _, visitor := range r.members {
		isThere := func(v remoteVisitor) bool { return v.ID == visitor.ID }
		if visitor.stay == nil && visitor.from == m.From && !slices.ContainsFunc(m.Visitors, isThere) {
			r.drop(visitor)
		}
	}
}

// updateRemote adds or moves a visitor of another process.
func (r *room) updateRemote(from string, v *remoteVisitor) {
	visitor := r.members[v.ID]
	switch {
	case visitor == nil:
		visitor = &member{
			Visitor: v.Visitor, banKey: v.Key, joined: r.batch + 1, since: v.Since, from: from, moves: newMoveLimit(time.Now()),
		}
		r.members[v.ID] = visitor
		r.scheduleBatch()
	case visitor.stay != nil || visitor.from != from:
		return
	case v.Position != nil && !equalPose(visitor.Pose, v.Pose):
		visitor.Pose, visitor.moved = v.Pose, r.batch+1
		r.scheduleBatch()
	}
	visitor.seen = time.Now()
}

// dropSurplus ends the stays of the last visitors when the processes together have let in too many,
// or too many with the same account or address. All processes sort the visitors in the same order,
// so they agree on who must leave.
func (r *room) dropSurplus() {
	if len(r.members) <= maxPerSubject {
		return
	}
	all := slices.SortedFunc(maps.Values(r.members), func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.ID, b.ID))
	})
	admitted, byKey := 0, map[string]int{}
	for _, m := range all {
		switch {
		case admitted < model.MaxVisitors && (m.banKey == "" || byKey[m.banKey] < maxPerSubject):
			admitted++
			byKey[m.banKey]++
		case m.stay != nil:
			r.expel(m, model.PresenceFull)
		}
	}
}

// dropSilent drops the visitors of processes that have sent no state for remoteTimeout.
func (r *room) dropSilent(now time.Time) {
	for _, m := range r.members {
		if m.stay == nil && now.Sub(m.seen) > remoteTimeout {
			r.drop(m)
		}
	}
}

// sendAll sends all visitors of this process to the other processes.
func (r *room) sendAll() {
	m := &message{From: r.rooms.process, Full: true}
	for _, visitor := range r.members {
		if visitor.stay != nil {
			m.Visitors = append(m.Visitors, remoteVisitor{visitor.Visitor, visitor.since, visitor.banKey})
		}
	}
	r.rooms.bus.enqueue(queued{spaceID: r.id, message: m})
}

// sendBatch sends the changes of the last batch that are about visitors of this process.
func (r *room) sendBatch() {
	m := &message{From: r.rooms.process}
	for _, visitor := range r.members {
		if visitor.stay != nil && (visitor.joined == r.batch || visitor.moved == r.batch) {
			m.Visitors = append(m.Visitors, remoteVisitor{visitor.Visitor, visitor.since, visitor.banKey})
		}
	}
	for _, departure := range r.departures {
		if departure.batch == r.batch && departure.local {
			m.Left = append(m.Left, departure.id)
		}
	}
	if len(m.Visitors)+len(m.Left) > 0 {
		r.rooms.bus.enqueue(queued{spaceID: r.id, message: m})
	}
}

// sendStates sends the full state of all rooms every stateInterval, drops the visitors of processes
// that are silent, and repairs the channels.
func (r *Rooms) sendStates(ctx context.Context) {
	ticker := time.NewTicker(stateInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			r.bus.enqueue(queued{action: repairChannels})
			for _, room := range r.all() {
				room.mu.Lock()
				room.dropSilent(now)
				room.sendAll()
				room.mu.Unlock()
			}
		}
	}
}

// all returns the rooms of this process.
func (r *Rooms) all() []*room {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rooms []*room
	for _, room := range r.byID {
		rooms = append(rooms, room)
	}
	return rooms
}
