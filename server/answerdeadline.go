package server

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"portico/graph/transport"
)

// The limits of answers whose clients read slowly.
const (
	// answerGrace is how long a client may stop reading its answer.
	answerGrace = 20 * time.Second
	// minAnswerRate is the minimum rate at which a client must read, in bytes per second. It is
	// the rate of request bodies. Bytes in the buffers of the system count as read.
	minAnswerRate = minBodyRate
	// answerChunk is how many bytes are written at a time. Each chunk extends the deadline, so
	// a client that reads nothing is dropped after the first.
	answerChunk = 64 << 10
	// fileChunk is the size of the chunks of files. It is larger than answerChunk, because
	// files use no memory while they wait.
	fileChunk = 1 << 20
	// maxUnread limits the answers in memory that all clients together have not read yet, in
	// bytes. Above the limit, the clients that have waited longest are dropped.
	maxUnread = 64 << 20
)

// limitAnswerTime drops clients that do not read their answers. Otherwise the answers would stay
// in memory forever. GraphQL streams set their own deadlines.
func limitAnswerTime(next http.Handler) http.Handler {
	return limitAnswerTimeWith(answerGrace, minAnswerRate, next)
}

// limitAnswerTimeWith is limitAnswerTime with limits that tests can shorten: grace replaces
// answerGrace, and rate replaces minAnswerRate.
func limitAnswerTimeWith(grace time.Duration, rate int64, next http.Handler) http.Handler {
	unread := transport.NewBacklog(maxUnread)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &timedAnswer{
			ResponseWriter: w, control: http.NewResponseController(w), unread: unread, grace: grace, rate: rate,
			mayStream: strings.Trim(r.URL.Path, "/") == "graphql",
		}
		_ = answer.control.SetWriteDeadline(time.Time{}) // clears the deadline of the previous request; fails only on a closed connection
		defer func() {
			if answer.isStream() {
				return
			}
			// net/http sends the rest of its buffer after the handler has returned.
			_ = answer.control.SetWriteDeadline(time.Now().Add(answer.grace)) // fails only on a closed connection
		}()
		next.ServeHTTP(answer, r)
	})
}

// timedAnswer is an answer whose deadline is extended as the client reads.
type timedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	unread  *transport.Backlog
	grace   time.Duration
	rate    int64       // bytes a second
	dropped atomic.Bool // by the backlog, because the limit was exceeded
	// mayStream reports whether the handler sets the deadlines of event streams itself.
	mayStream bool
}

// isStream reports whether the answer is an event stream with its own deadlines. The request does
// not decide this: a client that accepts events may get a JSON answer of megabytes.
func (a *timedAnswer) isStream() bool {
	return a.mayStream && strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream")
}

// Write writes in chunks and extends the deadline before each. The time that the handler takes
// between two writes therefore does not count.
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

// extend sets the deadline for reading this many more bytes.
func (a *timedAnswer) extend(bytes int) {
	// It fails only on a closed connection.
	_ = a.control.SetWriteDeadline(time.Now().Add(a.grace + time.Duration(bytes)*time.Second/time.Duration(a.rate)))
	if a.dropped.Load() { // the new deadline may have replaced the deadline of drop
		a.drop()
	}
}

// drop makes the current write fail, by a deadline in the past.
func (a *timedAnswer) drop() {
	a.dropped.Store(true)
	_ = a.control.SetWriteDeadline(time.Unix(1, 0)) // fails only on a closed connection
}

// ReadFrom implements io.ReaderFrom, so that the system sends files with sendfile. net/http uses
// sendfile for a file, or an io.LimitedReader of a file.
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

// Unwrap returns the wrapped writer for http.ResponseController.
func (a *timedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
