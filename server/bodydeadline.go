package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"portico/rest"
)

// The limits of bodies and of streams' buffers.
const (
	// bodyGrace is the time that a request has to send its body, independent of the size.
	bodyGrace = 20 * time.Second
	// minBodyRate, in bytes a second, gives a body more time for each received byte. It is
	// slower than any network in use.
	minBodyRate = 8 << 10
	// streamBuffer is the write buffer of a stream's connection, in bytes; the system
	// doubles it. It is small so that a client that does not read is noticed soon, and
	// thousands of them take little memory.
	streamBuffer = 128 << 10
)

// limitBodyTime closes requests whose bodies stall. Otherwise anyone, even without a
// key, could hold connections for ever. The store does the same for uploads, whose size
// it knows. All incomplete bodies together are limited to maxBodies bytes in memory and to
// maxSpooled bytes on disk.
func limitBodyTime(isUpload func(*http.Request) bool, next http.Handler) http.Handler {
	memory, disk := &bodyBudget{maxBytes: maxBodies}, &bodyBudget{maxBytes: maxSpooled}
	return limitBodies(isUpload, func(r *http.Request) *bodyBudget {
		if rest.SpoolsBody(r) {
			return disk
		}
		return memory
	}, next)
}

// limitBodies is limitBodyTime with budgets that tests can make small.
func limitBodies(isUpload func(*http.Request) bool, budget func(*http.Request) *bodyBudget, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody && !isUpload(r) {
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), began: time.Now()}
			body.share = budget(r).enter(body.end)
			defer body.share.leave()
			body.extend() // net/http reads what the handler leaves unread
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a request body with a deadline that moves as bytes arrive.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time
	read    int64 // bytes
	share   *budgetedBody
}

// Read reads, and extends the deadline by the bytes received.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if errors.Is(err, io.EOF) {
		// net/http reads on, to notice a client that leaves; a deadline would end that.
		b.share.leave()
		_ = b.control.SetReadDeadline(time.Time{}) // fails only on a closed connection
		return n, err
	}
	b.share.grow(n)
	b.extend()
	return n, err
}

// extend sets the deadline that the bytes so far allow.
func (b *timedBody) extend() {
	deadline := b.began.Add(bodyGrace + time.Duration(b.read)*time.Second/minBodyRate)
	b.share.extend(b.control.SetReadDeadline, deadline)
}

// end makes the current read fail, and every later one.
func (b *timedBody) end() {
	_ = b.control.SetReadDeadline(time.Now()) // as above
}

// connectionKey is the context key of a request's connection. Net/http offers a handler no
// other way to it.
type connectionKey struct{}

// withConnection implements ConnContext of http.Server.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// limitWriteBuffer bounds the bytes that the system buffers for the client of a stream.
func limitWriteBuffer(r *http.Request) {
	if conn, ok := r.Context().Value(connectionKey{}).(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = conn.SetWriteBuffer(streamBuffer) // at worst the buffer is larger
	}
}
