package presence

import (
	"cmp"
	"context"
	"slices"
	"time"

	"portico/model"
)

const (
	// stateInterval is how often each process sends the full state of its rooms, so that a
	// lost message does no lasting harm.
	stateInterval = 5 * time.Second
	// remoteTimeout is when the visitors of a process that is not heard of any more leave.
	remoteTimeout = 3 * stateInterval
)

// message is what the process From says about its visitors of a space.
type message struct {
	From string `json:"from"`
	// Hello asks the others for their full state.
	Hello bool `json:"hello,omitempty"`
	// Full says that Visitors are all visitors of the process.
	Full     bool            `json:"full,omitempty"`
	Visitors []remoteVisitor `json:"visitors,omitempty"`
	Left     []string        `json:"left,omitempty"`
	// Move and Remove are for the process that has the visitor.
	Move   *remoteMove `json:"move,omitempty"`
	Remove string      `json:"remove,omitempty"`
}

// remoteVisitor is a visitor who has joined or moved.
type remoteVisitor struct {
	model.Visitor
	// Since orders visitors by their arrival, in nanoseconds.
	Since int64 `json:"since"`
}

// remoteMove is a move that reached another process than the visitor's.
type remoteMove struct {
	ID string `json:"id"`
	model.Pose
}

// receive takes over what another process says about a space. The process has no room where
// it has no visitors.
func (r *Rooms) receive(ctx context.Context, spaceID string, m *message) {
	of := r.room(spaceID)
	if of == nil {
		return
	}
	if m.Move != nil {
		// The sender has checked the ticket. A move over the limit is dropped.
		_, _ = of.move(m.Move.ID, m.Move.Pose, time.Now())
	}
	if m.Remove != "" {
		// The sender has checked who asks. There is nobody left to answer.
		_, _ = r.removeOwn(ctx, model.RemoveVisitor{SpaceID: spaceID, VisitorID: m.Remove})
	}
	of.receive(m)
}

// introduce asks the other processes for their visitors of a space, and sends the own ones.
func (r *Rooms) introduce(spaceID string) {
	r.bus.put(queued{spaceID: spaceID, message: &message{From: r.process, Hello: true}})
	if of := r.room(spaceID); of != nil {
		of.mu.Lock()
		defer of.mu.Unlock()
		of.sendAll()
	}
}

func (r *room) receive(m *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Hello {
		r.sendAll()
	}
	if m.Full {
		r.dropAbsent(m)
	}
	for i := range m.Visitors {
		r.putRemote(m.From, &m.Visitors[i])
	}
	for _, id := range m.Left {
		if of := r.members[id]; of != nil && of.stay == nil && of.from == m.From {
			r.drop(of)
		}
	}
	r.dropSurplus()
}

// dropAbsent drops the visitors of a process that are not in its full state.
func (r *room) dropAbsent(m *message) {
	for _, of := range r.members {
		isThere := func(v remoteVisitor) bool { return v.ID == of.ID }
		if of.stay == nil && of.from == m.From && !slices.ContainsFunc(m.Visitors, isThere) {
			r.drop(of)
		}
	}
}

// putRemote adds or moves a visitor of another process.
func (r *room) putRemote(from string, v *remoteVisitor) {
	of := r.members[v.ID]
	switch {
	case of == nil:
		of = &member{Visitor: v.Visitor, joined: r.batch + 1, since: v.Since, from: from, budget: newBudget(time.Now())}
		r.members[v.ID] = of
		r.touch()
	case of.stay != nil || of.from != from:
		return
	case v.Position != nil && !equalPose(of.Pose, v.Pose):
		of.Pose, of.moved = v.Pose, r.batch+1
		r.touch()
	}
	of.seen = time.Now()
}

// dropSurplus ends the stays of those who came last where processes together let in too many:
// all processes agree on the order.
func (r *room) dropSurplus() {
	if len(r.members) <= model.MaxVisitors {
		return
	}
	var all []*member
	for _, m := range r.members {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.ID, b.ID))
	})
	for _, m := range all[model.MaxVisitors:] {
		if m.stay != nil {
			r.end(m, model.PresenceFull)
		}
	}
}

// dropSilent drops the visitors of processes that are not heard of any more.
func (r *room) dropSilent(now time.Time) {
	for _, m := range r.members {
		if m.stay == nil && now.Sub(m.seen) > remoteTimeout {
			r.drop(m)
		}
	}
}

// sendAll sends the full state of the own visitors to the other processes.
func (r *room) sendAll() {
	m := &message{From: r.rooms.process, Full: true}
	for _, of := range r.members {
		if of.stay != nil {
			m.Visitors = append(m.Visitors, remoteVisitor{of.Visitor, of.since})
		}
	}
	r.rooms.bus.put(queued{spaceID: r.id, message: m})
}

// sendBatch sends what the last batch says about the own visitors.
func (r *room) sendBatch() {
	m := &message{From: r.rooms.process}
	for _, of := range r.members {
		if of.stay != nil && (of.joined == r.batch || of.moved == r.batch) {
			m.Visitors = append(m.Visitors, remoteVisitor{of.Visitor, of.since})
		}
	}
	for _, departure := range r.left {
		if departure.batch == r.batch && departure.own {
			m.Left = append(m.Left, departure.id)
		}
	}
	if len(m.Visitors)+len(m.Left) > 0 {
		r.rooms.bus.put(queued{spaceID: r.id, message: m})
	}
}

// keepInTouch sends the full state of all rooms at intervals, and drops visitors of processes
// that are silent.
func (r *Rooms) keepInTouch(ctx context.Context) {
	tick := time.NewTicker(stateInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, of := range r.all() {
				of.mu.Lock()
				of.dropSilent(now)
				of.sendAll()
				of.mu.Unlock()
			}
		}
	}
}

// all returns the rooms of this process.
func (r *Rooms) all() []*room {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rooms []*room
	for _, of := range r.byID {
		rooms = append(rooms, of)
	}
	return rooms
}
