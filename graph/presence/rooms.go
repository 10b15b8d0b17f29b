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

// maxPerSubject is the maximum number of visitors of a room with the same account or address, on
// all processes together: enough for a school class behind one address, and too few to fill a room.
const maxPerSubject = model.MaxVisitors / 2

// Options configures New. The zero value is ready.
type Options struct {
	// Secret is the key of tickets and of the hashes of addresses. All processes of the server
	// need the same secret. Empty means a random secret.
	Secret []byte
	// RedisURL is the address of the Redis over which the visitors of all processes see each
	// other. With an empty address only the visitors of this process do. Redis need not be
	// available at the start.
	RedisURL string
	// Logger receives a line when Redis stops answering, and one when it answers again. Nil
	// means no log.
	Logger *slog.Logger
	// Interval is the time between two batches of a room; 0 means DefaultInterval.
	Interval time.Duration
}

// Rooms are the rooms of this process. Their methods may be called concurrently.
type Rooms struct {
	options  Options
	bans     bans
	visitors atomic.Int64
	process  string // the name of this process
	bus      *bus   // nil without Redis
	closed   atomic.Bool

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
	bus, err := newBus(r, o.RedisURL)
	if err != nil {
		return nil, err
	}
	r.bus = bus // before start, because its goroutines read it
	bus.start()
	return r, nil
}

// Close stops the batches, sends the last states to the other processes, and closes the connections
// to Redis.
func (r *Rooms) Close() error {
	r.closed.Store(true)
	for _, room := range r.all() {
		room.stopTimer()
	}
	return r.bus.close()
}

// Visitors returns the number of visitors who are connected to this process.
func (r *Rooms) Visitors() int64 { return r.visitors.Load() }

// Guest is a visitor who wants to join.
type Guest struct {
	SpaceID string
	// Subject is the account or the address of the guest, which a removal bans. It is empty if
	// neither is known; then a removal bans nothing.
	Subject string
	Name    *string
	IsOwner bool
}

// Join adds a visitor to the room of the space. It returns a reason instead of a stay if the room
// is full or the guest is banned. The caller must call Leave.
func (r *Rooms) Join(ctx context.Context, guest Guest) (*Stay, model.PresenceEnd) {
	key := r.banKey(guest.SpaceID, guest.Subject)
	// The bans of this process come first: a guest who joins again and again then costs no request to
	// Redis. room.join looks at them again, because a removal may add one while Redis answers.
	if !guest.IsOwner && (r.bans.has(key, time.Now()) || r.bus.isBanned(ctx, key)) {
		return nil, model.PresenceRemoved
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.byID[guest.SpaceID]
	if room == nil {
		room = newRoom(r, guest.SpaceID)
	}
	stay, refused := room.join(guest, key)
	if refused != "" {
		return nil, refused
	}
	if r.byID[guest.SpaceID] == nil {
		r.byID[guest.SpaceID] = room
		r.bus.enqueue(queued{spaceID: room.id, action: openChannel})
	}
	r.visitors.Add(1)
	return stay, ""
}

// leave removes a visitor, and the room after its last visitor.
func (r *Rooms) leave(s *Stay) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wasPresent, isEmpty := s.room.leave(s)
	if wasPresent {
		r.visitors.Add(-1)
	}
	if isEmpty && r.byID[s.room.id] == s.room {
		delete(r.byID, s.room.id)
		r.bus.enqueue(queued{spaceID: s.room.id, action: closeChannel, message: &message{From: r.process, Full: true}})
	}
}

// room returns the room of a space; nil without visitors.
func (r *Rooms) room(spaceID string) *room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[spaceID]
}

const (
	ticketInvalid = "The ticket is not the ticket of this visitor"
	visitorGone   = "The visitor has left. Join again"
	movesTooFast  = "The visitor moves too often"
)

// Move moves the visitor whose ticket the caller has. The caller has validated the input.
//
// With Redis, a visitor whom this process does not know may be connected to another process: it may
// have joined a moment ago, or this process has no room. So the move is sent to the others. They do
// not answer if the visitor has left: the client learns that when its stay ends.
func (r *Rooms) Move(in model.MoveInSpace) error {
	if !r.isTicket(in.SpaceID, in.VisitorID, in.Ticket) {
		return model.Forbidden(ticketInvalid)
	}
	pose, isOwn := in.Rounded(), false
	err := error(model.NotFound(visitorGone))
	if room := r.room(in.SpaceID); room != nil {
		isOwn, err = room.move(in.VisitorID, pose, time.Now())
	}
	isUnknown := model.CodeOf(err) == model.CodeNotFound
	if r.bus == nil || isOwn || (err != nil && !isUnknown) {
		return err
	}
	r.bus.enqueue(queued{spaceID: in.SpaceID, message: &message{From: r.process, Move: &remoteMove{in.VisitorID, pose}}})
	return nil
}

// RemoveVisitor ends the stay of a visitor, and all other stays of the visitor's account or
// address, which it bans from the space for an hour. Removing a visitor who has already left
// changes nothing.
func (r *Rooms) RemoveVisitor(in model.RemoveVisitor) error {
	isOwn, err := r.removeOwn(in)
	if r.bus != nil && err == nil && !isOwn {
		if room := r.room(in.SpaceID); room != nil {
			room.storeRemoval(in.VisitorID)
		}
		r.bus.enqueue(queued{spaceID: in.SpaceID, message: &message{From: r.process, Remove: in.VisitorID}})
	}
	return err
}

// removeOwn removes a visitor of this process, and reports whether there was one. The other
// processes end the stays of the same account or address.
func (r *Rooms) removeOwn(in model.RemoveVisitor) (removed bool, err error) {
	room := r.room(in.SpaceID)
	if room == nil {
		return false, nil
	}
	key, removed, err := room.remove(in.VisitorID)
	if removed && key != "" {
		r.bus.enqueue(queued{action: storeBan, banKey: key})
		r.bus.enqueue(queued{spaceID: in.SpaceID, message: &message{From: r.process, Ban: key}})
	}
	return removed, err
}

// newVisitorID returns an id that nobody can guess. It is short, because every move contains it.
func newVisitorID() string {
	var random [9]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}
