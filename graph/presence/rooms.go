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
	// RedisURL is the Redis over which the visitors of all processes see each other. Empty
	// means the visitors of this process. Redis need not be available at the start.
	RedisURL string
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
	process  string // the name of this process
	bus      *bus   // nil without Redis

	mu   sync.Mutex
	byID map[string]*room
}

// New returns rooms without visitors. The caller closes them. It fails for an invalid RedisURL,
// with an error that does not contain the password.
func New(o Options) (*Rooms, error) {
	if len(o.Secret) == 0 {
		o.Secret = []byte(rand.Text())
	}
	o.Interval = cmp.Or(o.Interval, DefaultInterval)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	r := &Rooms{options: o, process: rand.Text(), byID: map[string]*room{}}
	if o.RedisURL == "" {
		return r, nil
	}
	var err error
	r.bus, err = newBus(r, o.RedisURL)
	return r, err
}

// Close closes the connections to Redis. Nil has none.
func (r *Rooms) Close() error {
	if r == nil {
		return nil
	}
	return r.bus.close()
}

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
func (r *Rooms) Join(ctx context.Context, guest Guest) (*Stay, model.PresenceEnd) {
	name := r.outsider(guest.SpaceID, guest.Subject)
	if !guest.IsOwner && (r.outside.has(name, time.Now()) || r.bus.isOutside(ctx, name)) {
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
	if r.byID[guest.SpaceID] == nil {
		r.byID[guest.SpaceID] = of
		r.bus.put(queued{spaceID: of.id, action: openChannel})
	}
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
		r.bus.put(queued{spaceID: s.room.id, action: closeChannel, message: &message{From: r.process, Full: true}})
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
	pose, isOwn := in.Rounded(), false
	err := error(model.NotFound(visitorGone))
	of := r.room(in.SpaceID)
	if of != nil {
		isOwn, err = of.move(in.VisitorID, pose, time.Now())
	}
	// The visitor may be connected to another process, also where this one has no room.
	if r.bus == nil || isOwn || (of != nil && err != nil) {
		return err
	}
	r.bus.put(queued{spaceID: in.SpaceID, message: &message{From: r.process, Move: &remoteMove{in.VisitorID, pose}}})
	return nil
}

// Remove ends the stay of a visitor, and keeps the visitor's account or address out of the
// space for an hour. Removing a visitor who has left already changes nothing.
func (r *Rooms) Remove(ctx context.Context, in model.RemoveVisitor) error {
	isOwn, err := r.removeOwn(ctx, in)
	if r.bus != nil && err == nil && !isOwn {
		r.bus.put(queued{spaceID: in.SpaceID, message: &message{From: r.process, Remove: in.VisitorID}})
	}
	return err
}

// removeOwn removes a visitor of this process, and reports whether there was one.
func (r *Rooms) removeOwn(ctx context.Context, in model.RemoveVisitor) (removed bool, err error) {
	of := r.room(in.SpaceID)
	if of == nil {
		return false, nil
	}
	subject, removed, err := of.remove(in.VisitorID)
	if removed && subject != "" {
		name := r.outsider(in.SpaceID, subject)
		r.outside.add(name, time.Now().Add(outsideTime), time.Now())
		r.bus.keepOut(ctx, name)
	}
	return removed, err
}

// newVisitorID returns an id that nobody can guess. It is short, because every move has it.
func newVisitorID() string {
	var random [9]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
