package presence

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"portico/model"
)

// DefaultInterval is the time between two batches of a room.
const DefaultInterval = 100 * time.Millisecond

// maxPerSubject is how many visitors of a room may have the same account or address: a
// school class passes, and nobody fills a room alone.
const maxPerSubject = model.MaxVisitors / 2

// Options configures New. The zero value is ready.
type Options struct {
	// Secret keys tickets, and the hashes of addresses. All processes of the service need
	// the same. Empty means a random one.
	Secret []byte
	// Logger gets a line when Redis stops answering, and one when it answers again. Nil
	// logs nothing.
	Logger *slog.Logger
	// Interval is the time between two batches of a room; 0 means DefaultInterval.
	Interval time.Duration
}

// Rooms are the rooms of this process. Their methods may be called concurrently.
type Rooms struct {
	options  Options
	outside  outside
	visitors atomic.Int64

	mu   sync.Mutex
	byID map[string]*room
}

// New returns rooms without visitors. The caller closes them.
func New(o Options) (*Rooms, error) {
	if len(o.Secret) == 0 {
		o.Secret = []byte(rand.Text())
	}
	o.Interval = cmp.Or(o.Interval, DefaultInterval)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return &Rooms{options: o, byID: map[string]*room{}}, nil
}

// Close closes what New opened. Nil has nothing to close.
func (r *Rooms) Close() error { return nil }

// Visitors returns the number of visitors who are connected to this process.
func (r *Rooms) Visitors() int64 { return r.visitors.Load() }

// Guest is somebody who joins.
type Guest struct {
	SpaceID string
	// Subject is the account or the address of the guest, which a removal keeps out; empty
	// for a caller in this process.
	Subject string
	Name    *string
	IsOwner bool
}

// Join adds a visitor to the room of the space. It returns a reason instead where there is no
// place, or the guest was removed. The caller calls Leave.
func (r *Rooms) Join(_ context.Context, guest Guest) (*Stay, model.PresenceEnd) {
	if !guest.IsOwner && r.outside.has(r.outsider(guest.SpaceID, guest.Subject), time.Now()) {
		return nil, model.PresenceRemoved
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.byID[guest.SpaceID]
	if of == nil {
		of = newRoom(r, guest.SpaceID)
	}
	stay, refused := of.join(guest)
	if refused != "" {
		return nil, refused
	}
	r.byID[guest.SpaceID] = of
	r.visitors.Add(1)
	return stay, ""
}

// leave removes a visitor, and the room with its last one.
func (r *Rooms) leave(s *Stay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left, isEmpty := s.room.leave(s)
	if left {
		r.visitors.Add(-1)
	}
	if isEmpty && r.byID[s.room.id] == s.room {
		delete(r.byID, s.room.id)
	}
}

// room returns the room of a space; nil without visitors.
func (r *Rooms) room(spaceID string) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[spaceID]
}

// The refusals of a move.
const (
	ticketInvalid = "The ticket is not the ticket of this visitor"
	visitorGone   = "The visitor has left. Join again"
	movesTooFast  = "The visitor moves too often"
)

// Move moves the visitor whose ticket the caller has. The input is valid.
func (r *Rooms) Move(_ context.Context, in model.MoveInSpace) error {
	if !r.isTicket(in.SpaceID, in.VisitorID, in.Ticket) {
		return model.Forbidden(ticketInvalid)
	}
	of := r.room(in.SpaceID)
	if of == nil {
		return model.NotFound(visitorGone)
	}
	return of.move(in.VisitorID, in.Pose.Rounded(), time.Now())
}

// Remove ends the stay of a visitor, and keeps the visitor's account or address out of the
// space for an hour. Removing a visitor who has left already changes nothing.
func (r *Rooms) Remove(_ context.Context, in model.RemoveVisitor) error {
	of := r.room(in.SpaceID)
	if of == nil {
		return nil
	}
	subject, err := of.remove(in.VisitorID)
	if err == nil && subject != "" {
		r.outside.add(r.outsider(in.SpaceID, subject), time.Now().Add(outsideTime), time.Now())
	}
	return err
}

// newVisitorID returns an id that nobody can guess. It is short, because every move has it.
func newVisitorID() string {
	var random [9]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
