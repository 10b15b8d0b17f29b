package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// bodyStart is how long a request may take to send its body, whatever the size.
	bodyStart = 20 * time.Second
	// bodyPace is how many bytes a second it must send besides: less than any
	// network brings that people use.
	bodyPace = 8 << 10
	// streamBuffer is how much is kept for the client of a stream that does not
	// read, in bytes; the system doubles it. It fills soon, so that the client is
	// found out, and thousands of them take no memory that counts.
	streamBuffer = 128 << 10
)

// paced ends requests whose bodies hardly come. They would hold their connections
// for as long as they like, without a key too. Uploads are left to the store, which
// knows how large they may be.
func paced(isUpload func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody && !isUpload(r) {
			body := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), began: time.Now()}
			body.extend() // the server reads what the handler leaves unread
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// pacedBody is a body that must come in time.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time
	read    int64 // bytes
}

// Read gives the body more time for what has come of it.
func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if errors.Is(err, io.EOF) {
		// The server goes on reading, to notice a client that leaves.
		_ = b.control.SetReadDeadline(time.Time{}) // fails only on a closed connection
		return n, err
	}
	b.extend()
	return n, err
}

func (b *pacedBody) extend() {
	deadline := b.began.Add(bodyStart + time.Duration(b.read)*time.Second/bodyPace)
	_ = b.control.SetReadDeadline(deadline) // as above
}

// connection is the key of a request's connection in its context. net/http offers
// no other way to it.
type connection struct{}

// keepConnection is a ConnContext of http.Server.
func keepConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, conn)
}

// narrow bounds what the system keeps for the client of a stream.
func narrow(r *http.Request) {
	if conn, ok := r.Context().Value(connection{}).(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = conn.SetWriteBuffer(streamBuffer) // at worst the buffer is larger
	}
}
