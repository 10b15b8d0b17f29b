package server

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"portico/graph/transport"
)

// The limits of answers that wait for their clients.
const (
	// answerGrace is how long a client may read nothing of an answer.
	answerGrace = 20 * time.Second
	// minAnswerRate, in bytes a second, gives a client more time for each byte of a chunk:
	// the rate of request bodies. Bytes in the system's buffers do not count.
	minAnswerRate = minBodyRate
	// answerChunk is how many bytes are written at a time. Each chunk extends the
	// deadline, and a client that reads nothing fails at the first.
	answerChunk = 64 << 10
	// fileChunk is the chunk of files. It is larger, because files take no memory while
	// they wait.
	fileChunk = 1 << 20
	// maxUnread bounds the answers in memory that wait for all clients together, in bytes.
	// Over the bound, the clients that have kept the server waiting longest are dropped.
	maxUnread = 64 << 20
)

// limitAnswerTime drops clients that do not read their answers, which would otherwise
// stay in memory for ever. GraphQL streams have deadlines of their own.
func limitAnswerTime(next http.Handler) http.Handler {
	return limitAnswerTimeWith(answerGrace, minAnswerRate, next)
}

// limitAnswerTimeWith is limitAnswerTime with limits that tests can shorten: grace is the time
// to read nothing, and rate is in bytes a second.
func limitAnswerTimeWith(grace time.Duration, rate int64, next http.Handler) http.Handler {
	unread := transport.NewBacklog(maxUnread)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &timedAnswer{
			ResponseWriter: w, control: http.NewResponseController(w), unread: unread, grace: grace, rate: rate,
			mayStream: strings.Trim(r.URL.Path, "/") == "graphql",
		}
		_ = answer.control.SetWriteDeadline(time.Time{}) // of the request before; fails only on a closed connection
		defer func() {
			if answer.isStream() {
				return
			}
			// Net/http sends the rest of its buffer after the handler has returned.
			_ = answer.control.SetWriteDeadline(time.Now().Add(answer.grace)) // as above
		}()
		next.ServeHTTP(answer, r)
	})
}

// timedAnswer is an answer whose deadline moves as the client reads.
type timedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	unread  *transport.Backlog
	grace   time.Duration
	rate    int64       // bytes a second
	dropped atomic.Bool // to make room for other clients
	// mayStream reports whether the handler sets the deadlines of an answer with events.
	mayStream bool
}

// isStream reports whether the answer is such a stream. The answer decides, not the
// request: a client that accepts events may get a document of megabytes.
func (a *timedAnswer) isStream() bool {
	return a.mayStream && strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream")
}

// Write writes in chunks and extends the deadline for each. The time that the server
// takes between two writes does not count.
func (a *timedAnswer) Write(p []byte) (written int, err error) {
	if a.isStream() {
		return a.ResponseWriter.Write(p)
	}
	if len(p) > answerChunk {
		defer a.unread.Add(len(p), a.drop)()
	}
	for {
		part := p[written:min(len(p), written+answerChunk)]
		a.extend(len(part))
		n, err := a.ResponseWriter.Write(part)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// extend sets the deadline by which the client must have read this many more bytes.
func (a *timedAnswer) extend(bytes int) {
	// It fails only on a closed connection.
	_ = a.control.SetWriteDeadline(time.Now().Add(a.grace + time.Duration(bytes)*time.Second/time.Duration(a.rate)))
	if a.dropped.Load() { // drop may have come just before the new deadline
		a.drop()
	}
}

// drop ends a waiting write by a deadline in the past.
func (a *timedAnswer) drop() {
	a.dropped.Store(true)
	_ = a.control.SetWriteDeadline(time.Unix(1, 0)) // as above
}

// ReadFrom implements io.ReaderFrom, so that files go through the system's sendfile,
// which takes a file or an io.LimitedReader of one.
func (a *timedAnswer) ReadFrom(r io.Reader) (written int64, err error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: r, N: 1<<63 - 1}
	}
	for limited.N > 0 {
		part := &io.LimitedReader{R: limited.R, N: min(limited.N, fileChunk)}
		a.extend(int(part.N))
		n, err := io.Copy(a.ResponseWriter, part)
		written += n
		limited.N -= n
		if err != nil || part.N > 0 { // the reader has ended
			return written, err
		}
	}
	return written, nil
}

// Unwrap gives http.ResponseController the writer below.
func (a *timedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
