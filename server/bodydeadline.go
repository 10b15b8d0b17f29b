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

// limitBodyTime closes requests whose bodies stall. Otherwise anyone, even without a key, could
// keep connections open forever. The store does the same for uploads, whose size it knows. All
// incomplete bodies together are limited to maxBodyBytes bytes in memory and to maxSpooledBytes
// bytes on disk.
//
// It is a minimum rate, not a fixed timeout: a large body on a slow line is complete in time as
// long as it arrives at minBodyRate on average.
func limitBodyTime(isUpload func(*http.Request) bool, next http.Handler) http.Handler {
	memory, disk := &bodyBudget{maxBytes: maxBodyBytes}, &bodyBudget{maxBytes: maxSpooledBytes}
	return limitBodyTimeWith(isUpload, func(r *http.Request) *bodyBudget {
		if rest.SpoolsBody(r) {
			return disk
		}
		return memory
	}, next)
}

// limitBodyTimeWith is limitBodyTime with budgets that tests can reduce.
func limitBodyTimeWith(isUpload func(*http.Request) bool, budget func(*http.Request) *bodyBudget, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody && !isUpload(r) {
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), started: time.Now()}
			body.entry = budget(r).add(body.abort)
			defer body.entry.remove()
			body.extend() // also for net/http, which reads the bytes that the handler did not read
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody is a request body whose deadline is extended as bytes arrive.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	started time.Time
	read    int64 // bytes
	entry   *budgetedBody
}

// Read implements io.Reader. It extends the deadline by the received bytes.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if errors.Is(err, io.EOF) {
		// net/http continues to read, to notice a client that disconnects. A deadline would
		// look like a disconnect.
		b.entry.remove()
		_ = b.control.SetReadDeadline(time.Time{}) // fails only on a closed connection
		return n, err
	}
	b.entry.addBytes(n)
	b.extend()
	return n, err
}

// extend sets the deadline that the number of received bytes allows. A deadline in the past makes
// the current read fail, as for a body that is too slow.
func (b *timedBody) extend() {
	deadline := b.started.Add(bodyGrace + time.Duration(b.read)*time.Second/minBodyRate)
	b.entry.extend(b.control.SetReadDeadline, deadline)
}

// abort makes the current read and all later reads fail.
func (b *timedBody) abort() {
	_ = b.control.SetReadDeadline(time.Now()) // fails only on a closed connection
}

// connectionKey is the context key of a request's connection. net/http gives handlers no other
// access to the connection.
type connectionKey struct{}

// withConnection implements ConnContext of http.Server.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// limitWriteBuffer limits how many bytes the system buffers for the client of a stream.
func limitWriteBuffer(r *http.Request) {
	if conn, ok := r.Context().Value(connectionKey{}).(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = conn.SetWriteBuffer(streamBuffer) // at worst the buffer is larger
	}
}
