package connection

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

// The limits of responses whose clients read slowly.
const (
	// ResponseGrace is how long a client may stop reading its response.
	ResponseGrace = 20 * time.Second
	// MinResponseRate is the minimum rate at which a client must read, in bytes per second. It is
	// the rate of request bodies. Bytes in the buffers of the system count as read.
	MinResponseRate = minBodyRate
	// responseChunk is how many bytes are written at a time. Each chunk extends the deadline, so
	// a client that reads nothing is dropped after the first.
	responseChunk = 64 << 10
	// fileChunk is the size of the chunks of files. It is larger than responseChunk, because
	// files use no memory while they wait.
	fileChunk = 1 << 20
	// maxUnread limits the responses in memory that all clients together have not read yet, in
	// bytes, those of clients without an account to a part of it, and those of one account or address
	// to maxOwnUnread. Above a limit, slow readers are dropped first, and then readers of the account
	// that has most.
	maxUnread         = 64 << 20
	maxStrangerUnread = 32 << 20
	maxOwnUnread      = 24 << 20
)

// LimitResponseTime drops clients that do not read their responses. Otherwise the response, of up
// to model.MaxResponse bytes, would stay in memory for as long as the client keeps the connection.
// GraphQL streams set their own deadlines.
func LimitResponseTime(next http.Handler) http.Handler {
	return limitResponseTimeWith(ResponseGrace, MinResponseRate, next)
}

// limitResponseTimeWith is LimitResponseTime with limits that tests can shorten: grace replaces
// ResponseGrace, and rate replaces MinResponseRate.
func limitResponseTimeWith(grace time.Duration, rate int64, next http.Handler) http.Handler {
	room := func(size int64) *semaphore.Room {
		return &semaphore.Room{Size: size, Share: maxOwnUnread, Floor: rate, Grace: grace}
	}
	accounts, strangers := room(maxUnread), room(maxStrangerUnread)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response := &timedResponse{
			ResponseWriter: w, control: http.NewResponseController(w), grace: grace, rate: rate,
			unread: func() (*semaphore.Room, string) {
				origin := model.OriginFrom(r.Context())
				if user := origin.UserID(); user != "" {
					return accounts, user
				}
				return strangers, origin.Address
			},
			mayStream: strings.Trim(r.URL.Path, "/") == "graphql",
		}
		_ = response.control.SetWriteDeadline(time.Time{}) // clears the deadline of the previous request; fails only on a closed connection
		defer func() {
			if response.isStream() {
				return
			}
			// net/http sends the rest of its buffer after the handler has returned.
			_ = response.control.SetWriteDeadline(time.Now().Add(response.grace)) // fails only on a closed connection
		}()
		next.ServeHTTP(response, r)
	})
}

// timedResponse is a response whose deadline is extended as the client reads.
//
// Each deadline is for one chunk: ResponseGrace, and the time that the chunk needs at
// MinResponseRate. Three writers set it: extend before a chunk, drop from the room, and the
// handler of an event stream.
type timedResponse struct {
	http.ResponseWriter
	control *http.ResponseController
	// unread returns the room of what the client has not read yet, and the key that it counts for.
	unread  func() (*semaphore.Room, string)
	grace   time.Duration
	rate    int64       // bytes a second
	dropped atomic.Bool // the room has given its place to others
	// mayStream reports whether the handler sets the deadlines of event streams itself.
	mayStream bool
}

// observe.IsStream reports whether the response is an event stream with its own deadlines. The request does
// not decide this: a client that accepts events may get a JSON response of megabytes.
func (w *timedResponse) isStream() bool {
	return w.mayStream && strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
}

// Write writes in chunks and extends the deadline before each. The time that the handler takes
// between two writes therefore does not count.
func (w *timedResponse) Write(p []byte) (written int, err error) {
	if w.isStream() {
		return w.ResponseWriter.Write(p)
	}
	var place *semaphore.Place
	if len(p) > responseChunk {
		room, key := w.unread()
		place, _ = room.Enter(key, 0, w.drop)
		defer place.Leave()
		place.Grow(min(int64(len(p)), maxOwnUnread)) // a response alone never exceeds its share
	}
	for {
		part := p[written:min(len(p), written+responseChunk)]
		w.extend(len(part))
		n, err := w.ResponseWriter.Write(part)
		if place != nil {
			place.Progress(int64(n))
		}
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// extend sets the deadline for reading this many more bytes.
func (w *timedResponse) extend(bytes int) {
	// It fails only on a closed connection.
	_ = w.control.SetWriteDeadline(time.Now().Add(w.grace + time.Duration(bytes)*time.Second/time.Duration(w.rate)))
	if w.dropped.Load() { // the new deadline may have replaced the deadline of drop
		w.drop()
	}
}

// drop makes the current write fail, by a deadline in the past.
func (w *timedResponse) drop() {
	w.dropped.Store(true)
	_ = w.control.SetWriteDeadline(time.Unix(1, 0)) // fails only on a closed connection
}

// ReadFrom implements io.ReaderFrom, so that the system sends files with sendfile. net/http uses
// sendfile for a file, or an io.LimitedReader of a file. A LimitedReader with bytes left has
// reached the end of its file.
func (w *timedResponse) ReadFrom(r io.Reader) (written int64, err error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	for limited.N > 0 {
		part := &io.LimitedReader{R: limited.R, N: min(limited.N, fileChunk)}
		w.extend(int(part.N))
		n, err := io.Copy(w.ResponseWriter, part)
		written += n
		limited.N -= n
		if err != nil || part.N > 0 { // the reader has ended
			return written, err
		}
	}
	return written, nil
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (w *timedResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }
