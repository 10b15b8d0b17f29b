// Package semaphore shares what the server has little of between its callers: connections,
// downloads, bytes in memory, turns.
package semaphore

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Room is a number of places, or of bytes, that keys share. A key is an account, or the address of
// somebody without one. Its fields are set before it is used; the zero value has no limit.
//
// A caller enters, or waits for its turn, and leaves. Three rules keep a room fair:
//
//   - Nobody has more than a share.
//   - A full room takes places from those who hold them for nothing: whose progress is slower than
//     Floor.
//   - A room that is Fair also takes places from the key that has most, for a key that has less.
type Room struct {
	// Size is how much all keys have together; 0 means no limit.
	Size int64
	// Share is how much one key has; 0 means no limit but Size.
	Share int64
	// MaxWaiting is how many callers of one key may wait; 0 means no limit.
	MaxWaiting int
	// Floor is the progress in bytes per second below which a place gives way when others want it.
	// Zero means that no place gives way for being slow.
	Floor int64
	// Grace is how long a place may have no progress before it counts as slow.
	Grace time.Duration
	// Fair means that the key that has most gives way to a key that would still have less.
	Fair bool

	mu      sync.Mutex
	taken   int64
	keys    map[string]*member // only keys with a place or a caller that waits
	waiting map[string]*member // the keys with a caller that waits
	events  uint64             // how often somebody came to wait, or left
}

// member is one key in a room.
type member struct {
	key     string
	taken   int64
	places  map[*Place]struct{}
	waiting []*waiter // in the order of their arrival
	left    uint64    // when one of its places was left
}

// since returns since when the member waits for its next place.
func (m *member) since() uint64 { return max(m.waiting[0].arrival, m.left) }

// waiter is a caller that waits.
type waiter struct {
	size    int64
	yield   func()
	arrival uint64
	entered chan *Place // has room for one
}

// Place is what one caller has of a room. Its methods do nothing after Leave, and after the place
// had to give way.
type Place struct {
	room   *Room
	member *member // nil after Leave
	size   int64
	yield  func()
	// due is when the place counts as slow unless it makes progress before.
	due time.Time
	// gaveWay means that the room has taken the place: yield was called.
	gaveWay bool
}

// ErrTooManyWaiting means that Room.MaxWaiting callers of the key wait already.
var ErrTooManyWaiting = errors.New("too many callers wait for their turn")

// retryInterval is how often a caller that waits looks for places that have become slow.
const retryInterval = time.Second

// Enter takes size of the room for the key, and reports whether there is as much. The caller must
// call Leave.
//
// yield is called when the place has to give way: the holder must then stop soon and call Leave. It
// is called with the room locked, so it must not block nor use the room. Nil means that the place
// never gives way.
func (r *Room) Enter(key string, size int64, yield func()) (*Place, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.member(key)
	if !r.makeRoom(m, size) {
		r.forget(m)
		return nil, false
	}
	return r.add(m, size, yield), true
}

// Wait is Enter for a caller that waits for its turn. The key that has least is served first, and
// keys that have as much take turns. Wait returns ErrTooManyWaiting without
// waiting, and the error of ctx when ctx ends first.
func (r *Room) Wait(ctx context.Context, key string, size int64, yield func()) (*Place, error) {
	w, err := r.join(key, size, yield)
	if err != nil {
		return nil, err
	}
	var retry <-chan time.Time
	if r.Floor > 0 {
		ticker := time.NewTicker(retryInterval)
		defer ticker.Stop()
		retry = ticker.C
	}
	for {
		select {
		case place := <-w.entered:
			return place, nil
		case <-ctx.Done():
			r.abandon(key, w)
			return nil, ctx.Err()
		case <-retry:
			r.mu.Lock()
			r.admit()
			r.mu.Unlock()
		}
	}
}

// Taken returns how much all keys have together.
func (r *Room) Taken() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

// Progress counts bytes that the holder has received or sent. They buy the time that they need at
// Floor, up to Grace from now.
func (p *Place) Progress(bytes int64) {
	if p.room.Floor <= 0 {
		return
	}
	p.room.mu.Lock()
	defer p.room.mu.Unlock()
	latest := time.Now().Add(p.room.Grace)
	p.due = p.due.Add(time.Duration(float64(bytes) / float64(p.room.Floor) * float64(time.Second)))
	if p.due.After(latest) {
		p.due = latest
	}
}

// Grow takes more of the room for a place whose size is not known before. What does not fit is
// taken from others, or from the place itself: from slow places first, and then from the key that
// has most. It reports whether the place still is in the room.
func (p *Place) Grow(size int64) bool {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.gaveWay || p.member == nil {
		return false
	}
	p.resize(size)
	for !p.gaveWay && r.Share > 0 && p.member.taken > r.Share && giveWay(slowest(p.member.places)) {
	}
	for !p.gaveWay && r.Size > 0 && r.taken > r.Size && (giveWay(r.slow()) || giveWay(slowest(r.largest().places))) {
	}
	return !p.gaveWay
}

// IfHeld calls do unless the place has given way or was left, and nothing gives way meanwhile.
func (p *Place) IfHeld(do func()) {
	p.room.mu.Lock()
	defer p.room.mu.Unlock()
	if !p.gaveWay && p.member != nil {
		do()
	}
}

// GaveWay reports whether the room has taken the place.
func (p *Place) GaveWay() bool {
	p.room.mu.Lock()
	defer p.room.mu.Unlock()
	return p.gaveWay
}

// Leave gives the place back. A second call does nothing.
func (p *Place) Leave() {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	m := p.member
	if m == nil {
		return
	}
	p.resize(-p.size)
	delete(m.places, p)
	p.member = nil
	m.left = r.events
	r.events++
	r.admit()
	r.forget(m)
}

// member returns the member of a key. The caller holds mu, and calls forget if it adds nothing.
func (r *Room) member(key string) *member {
	m := r.keys[key]
	if m == nil {
		m = &member{key: key, places: map[*Place]struct{}{}}
		if r.keys == nil {
			r.keys = map[string]*member{}
		}
		r.keys[key] = m
	}
	return m
}

// forget removes a member that has nothing: the map would grow forever otherwise.
func (r *Room) forget(m *member) {
	if len(m.places) == 0 && len(m.waiting) == 0 {
		delete(r.keys, m.key)
	}
}

func (r *Room) add(m *member, size int64, yield func()) *Place {
	p := &Place{room: r, member: m, yield: yield, due: time.Now().Add(r.Grace)}
	p.resize(size)
	m.places[p] = struct{}{}
	return p
}

// resize changes the size of a place by a difference.
func (p *Place) resize(by int64) {
	p.size += by
	p.member.taken += by
	p.room.taken += by
}

// makeRoom reports whether the member may have size more, after others have given way.
func (r *Room) makeRoom(m *member, size int64) bool {
	for r.Share > 0 && m.taken+size > r.Share {
		if !giveWay(r.slowOf(m)) {
			return false
		}
	}
	for r.Size > 0 && r.taken+size > r.Size {
		if !giveWay(r.slow()) && !r.takeFromLargest(m, size) {
			return false
		}
	}
	return true
}

// takeFromLargest takes a place from the key that has most, if it still has as much as the member
// afterwards: otherwise the two would take the place from each other again and again.
func (r *Room) takeFromLargest(m *member, size int64) bool {
	if !r.Fair || r.taken == 0 {
		return false
	}
	largest := r.largest()
	victim := slowest(largest.places)
	return victim != nil && largest != m && largest.taken-victim.size >= m.taken+size && giveWay(victim)
}

// giveWay takes a place from its holder; it reports false for nil.
func giveWay(p *Place) bool {
	if p == nil {
		return false
	}
	p.resize(-p.size)
	p.gaveWay = true
	p.yield()
	return true
}

// slow returns the slowest place of those that are slower than Floor, or nil.
func (r *Room) slow() (found *Place) {
	if r.Floor <= 0 {
		return nil
	}
	for _, m := range r.keys {
		if p := r.slowOf(m); p != nil && (found == nil || p.due.Before(found.due)) {
			found = p
		}
	}
	return found
}

func (r *Room) slowOf(m *member) *Place {
	if p := slowest(m.places); r.Floor > 0 && p != nil && time.Now().After(p.due) {
		return p
	}
	return nil
}

// slowest returns the place that has the least time left, of those that may give way.
func slowest(places map[*Place]struct{}) (found *Place) {
	for p := range places {
		if p.size > 0 && p.yield != nil && (found == nil || p.due.Before(found.due)) {
			found = p
		}
	}
	return found
}

// largest returns the key that has most. The room is not empty.
func (r *Room) largest() (found *member) {
	for _, m := range r.keys {
		if found == nil || m.taken > found.taken {
			found = m
		}
	}
	return found
}

// join adds a caller that waits, and lets it in if there is room.
func (r *Room) join(key string, size int64, yield func()) (*waiter, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.member(key)
	w := &waiter{size: size, yield: yield, arrival: r.events, entered: make(chan *Place, 1)}
	r.events++
	m.waiting = append(m.waiting, w)
	if r.waiting == nil {
		r.waiting = map[string]*member{}
	}
	r.waiting[key] = m
	r.admit()
	if r.MaxWaiting > 0 && len(m.waiting) > r.MaxWaiting {
		r.remove(m, len(m.waiting)-1)
		return nil, ErrTooManyWaiting
	}
	return w, nil
}

// admit lets in the callers that there is room for.
func (r *Room) admit() {
	for next := r.next(); next != nil && r.makeRoom(next, next.waiting[0].size); next = r.next() {
		w := next.waiting[0]
		w.entered <- r.add(next, w.size, w.yield)
		r.remove(next, 0)
	}
}

// next returns the key whose caller enters next: of the keys below their share, the one that has
// least.
func (r *Room) next() (found *member) {
	for _, m := range r.waiting {
		first := m.waiting[0]
		if r.Share > 0 && m.taken+first.size > r.Share && r.slowOf(m) == nil {
			continue
		}
		if found == nil || m.taken < found.taken || m.taken == found.taken && m.since() < found.since() {
			found = m
		}
	}
	return found
}

// remove removes a caller that waits.
func (r *Room) remove(m *member, index int) {
	m.waiting = append(m.waiting[:index:index], m.waiting[index+1:]...)
	if len(m.waiting) == 0 {
		delete(r.waiting, m.key)
	}
	r.forget(m)
}

// abandon ends the wait of a caller, which may have been let in meanwhile.
func (r *Room) abandon(key string, w *waiter) {
	r.mu.Lock()
	if m := r.waiting[key]; m != nil {
		for i, other := range m.waiting {
			if other == w {
				r.remove(m, i)
				r.admit() // those behind it may be smaller
				break
			}
		}
	}
	r.mu.Unlock()
	select {
	case place := <-w.entered:
		place.Leave()
	default:
	}
}
