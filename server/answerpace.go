package server

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"portico/graph/transport"
)

const (
	// answerStart is how long a client may take nothing of an answer.
	answerStart = 20 * time.Second
	// answerPace is how many bytes a second it must take besides: as many as a client
	// must send. What the system has taken in its place gives it no time.
	answerPace = bodyPace
	// answerChunk is how much is written at a time: after each the client gets more
	// time, and one that reads nothing is found out by the first.
	answerChunk = 64 << 10
	// fileChunk is that for files, which take no memory while they wait.
	fileChunk = 1 << 20
	// maxUnread bounds the answers, in bytes, that wait in memory for all clients
	// together. Those who keep the others waiting the longest are dropped.
	maxUnread = 64 << 20
)

// pacedAnswers drops clients that do not read their answers, which they would hold
// in memory for as long as they like. Streams of GraphQL have deadlines of their own.
func pacedAnswers(next http.Handler) http.Handler {
	return pacedBy(answerStart, answerPace, next)
}

func pacedBy(start, pace time.Duration, next http.Handler) http.Handler {
	unread := transport.NewBacklog(maxUnread)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStream(r) && strings.Trim(r.URL.Path, "/") == "graphql" {
			next.ServeHTTP(w, r)
			return
		}
		answer := &pacedAnswer{ResponseWriter: w, control: http.NewResponseController(w), unread: unread, start: start, pace: pace}
		_ = answer.control.SetWriteDeadline(time.Time{}) // of the request before; fails only on a closed connection
		defer func() {
			// What is buffered goes out when the handler has returned.
			_ = answer.control.SetWriteDeadline(time.Now().Add(answer.start)) // as above
		}()
		next.ServeHTTP(answer, r)
	})
}

// pacedAnswer is an answer that must be read in time.
type pacedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	unread  *transport.Backlog
	start   time.Duration
	pace    time.Duration // bytes a second
	dropped atomic.Bool   // in favour of other clients
}

// Write gives the client time for the next part when it has taken the one before.
// The time of the server itself, between two writes, is not the client's.
func (a *pacedAnswer) Write(p []byte) (written int, err error) {
	began := time.Now()
	if len(p) > answerChunk {
		defer a.unread.Enter(len(p), began, a.drop)()
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

// extend sets the deadline by which so many more bytes must have been taken.
func (a *pacedAnswer) extend(bytes int) {
	// It fails only on a closed connection.
	_ = a.control.SetWriteDeadline(time.Now().Add(a.start + time.Duration(bytes)*time.Second/a.pace))
	if a.dropped.Load() { // just before the new deadline
		a.drop()
	}
}

// drop ends the write that waits: a deadline that has passed breaks it off.
func (a *pacedAnswer) drop() {
	a.dropped.Store(true)
	_ = a.control.SetWriteDeadline(time.Unix(1, 0)) // as above
}

// ReadFrom implements io.ReaderFrom: it keeps the way open to the system's sendfile,
// which takes a file or a part of one.
func (a *pacedAnswer) ReadFrom(r io.Reader) (written int64, err error) {
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

// Unwrap lets http.ResponseController reach what this one hides.
func (a *pacedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
