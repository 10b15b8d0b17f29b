// Package connection protects the connections of a server. Bodies and responses have deadlines, so
// that a slow client holds nothing that others need. Streams end with the server. Requests that
// net/http itself refuses get JSON.
package connection

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"portico/internal/semaphore"
	"portico/model"
	"portico/rest"
)

// The limits of request bodies and of the buffers of streams.
const (
	// bodyGrace is the time that every body has, independent of its size.
	bodyGrace = 20 * time.Second
	// minBodyRate is the minimum rate of a body after bodyGrace, in bytes per second. It is
	// slower than any network in use.
	minBodyRate = 8 << 10
	// streamBuffer is the size of the write buffer of a stream's connection in bytes, which the
	// system doubles (socket(7), SO_SNDBUF). It is small so that the server soon notices a
	// client that does not read, and so that thousands of streams use little memory.
	streamBuffer = 128 << 10
)

// The sizes of the rooms for incomplete bodies, in bytes. A body uses several times its size while it
// is read.
const (
	maxBodyBytes   = 24 << 20
	maxAccountBody = 8 << 20
	// The forms of pages and of OAuth have up to 64 KiB, and nearly all less than one.
	maxFormBytes   = 2 << 20
	maxAddressForm = 256 << 10
	// Other bodies without an account are documents of GraphQL.
	maxStrangerBytes = 8 << 20
	maxAddressBody   = 2 << 20
	// Bodies on disk, see rest.SpoolsBody.
	maxSpooledBytes   = 512 << 20
	maxAccountSpooled = 128 << 20
)

// bodyRooms have the bytes of all incomplete bodies. A limit on each body is not enough: ten thousand
// bodies of a megabyte, each a byte short, would fill the memory before any of them is refused.
//
// A body that does not fit takes the room of a slow one, or else of whoever has most. Strangers have
// rooms of their own, so without an account nobody can take the room of those who have one, and
// documents take no room of forms.
type bodyRooms struct{ accounts, forms, strangers, disk semaphore.Room }

func newBodyRooms() *bodyRooms {
	room := func(size, share int64) semaphore.Room {
		return semaphore.Room{Size: size, Share: share, Floor: minBodyRate, Grace: bodyGrace}
	}
	return &bodyRooms{
		accounts: room(maxBodyBytes, maxAccountBody), disk: room(maxSpooledBytes, maxAccountSpooled),
		forms: room(maxFormBytes, maxAddressForm), strangers: room(maxStrangerBytes, maxAddressBody),
	}
}

// of returns the room of a body and the key that it counts for. The account of a key is known before
// the body is read, and that of a session once a page asks for it: before that, the body is a
// stranger's.
func (rooms *bodyRooms) of(r *http.Request) (*semaphore.Room, string) {
	origin := model.OriginFrom(r.Context())
	user := origin.UserID()
	switch {
	case user == "" && (origin.Door == model.DoorPages || origin.Door == model.DoorOAuth):
		return &rooms.forms, origin.Address
	case user == "":
		return &rooms.strangers, origin.Address
	case rest.SpoolsBody(r):
		return &rooms.disk, user
	}
	return &rooms.accounts, user
}

// LimitBodyTime closes requests whose bodies stall. Otherwise anyone, even without a key, could
// keep connections open forever. The store does the same for uploads, whose size it knows. All
// incomplete bodies together are limited by bodyRooms.
//
// It is a minimum rate, not a fixed timeout: a large body on a slow line is complete in time as
// long as it arrives at minBodyRate on average.
func LimitBodyTime(isUpload func(*http.Request) bool, next http.Handler) http.Handler {
	return limitBodyTimeWith(isUpload, newBodyRooms(), next)
}

// limitBodyTimeWith is LimitBodyTime with rooms that tests can reduce.
func limitBodyTimeWith(isUpload func(*http.Request) bool, rooms *bodyRooms, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody && !isUpload(r) {
			body := &timedBody{ReadCloser: r.Body, request: r, rooms: rooms, control: http.NewResponseController(w), started: time.Now()}
			defer body.leave()
			body.extend() // also for net/http, which reads the bytes that the handler did not read
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a request body whose deadline is extended as bytes arrive.
type timedBody struct {
	io.ReadCloser
	request *http.Request
	rooms   *bodyRooms
	control *http.ResponseController
	started time.Time
	read    int64 // bytes
	counted int64 // bytes in place
	// place is in room; nil before bytes were counted.
	place *semaphore.Place
	room  *semaphore.Room
	ended bool
}

// Read implements io.Reader. It extends the deadline by the received bytes.
func (b *timedBody) Read(p []byte) (int, error) {
	b.count()
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if errors.Is(err, io.EOF) {
		// net/http continues to read, to notice a client that disconnects. A deadline would
		// look like a disconnect.
		b.leave()
		_ = b.control.SetReadDeadline(time.Time{}) // fails only on a closed connection
		return n, err
	}
	b.extend()
	return n, err
}

// count takes room for the bytes that were read before. They count when more are wanted, so that the
// door has had the time to find the account of a body whose start it has read. A body whose account
// becomes known later changes its room.
func (b *timedBody) count() {
	if b.read == 0 || b.ended || b.place != nil && b.place.GaveWay() {
		return
	}
	if room, key := b.rooms.of(b.request); room != b.room {
		if b.place != nil {
			b.place.Leave()
		}
		b.room, b.counted = room, 0
		b.place, _ = room.Enter(key, 0, b.abort)
	}
	b.place.Progress(b.read - b.counted)
	b.place.Grow(b.read - b.counted)
	b.counted = b.read
}

// extend sets the deadline that the number of received bytes allows. A deadline in the past makes
// the current read fail, as for a body that is too slow.
func (b *timedBody) extend() {
	set := func() {
		_ = b.control.SetReadDeadline(b.started.Add(bodyGrace + time.Duration(b.read)*time.Second/minBodyRate)) // fails only on a closed connection
	}
	if b.place == nil {
		set()
		return
	}
	b.place.IfHeld(set)
}

// abort makes the current read and all later reads fail.
func (b *timedBody) abort() {
	_ = b.control.SetReadDeadline(time.Now()) // fails only on a closed connection
}

// leave gives the room of the body back. The connection can then serve another request.
func (b *timedBody) leave() {
	b.ended = true
	if b.place != nil {
		b.place.Leave()
	}
}

// connectionKey is the context key of a request's connection. net/http gives handlers no other
// access to the connection.
type connectionKey struct{}

// WithConnection implements ConnContext of http.Server.
func WithConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// limitWriteBuffer limits how many bytes the system buffers for the client of a stream.
func limitWriteBuffer(r *http.Request) {
	if conn, ok := r.Context().Value(connectionKey{}).(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = conn.SetWriteBuffer(streamBuffer) // at worst the buffer is larger
	}
}
