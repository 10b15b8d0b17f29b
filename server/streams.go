package server

import (
	"context"
	"net/http"
	"strings"
	"sync"
)

// streams are the requests that never end by themselves: subscriptions. The
// server neither tells them that it stops, nor waits for those it has given its
// connection to.
type streams struct {
	stopping context.Context
	end      context.CancelFunc // ends all streams, and those that begin later
	open     sync.WaitGroup
}

// newStreams returns streams that go on until end is called.
func newStreams() *streams {
	ctx, cancel := context.WithCancel(context.Background())
	return &streams{stopping: ctx, end: cancel}
}

// track ends the context of streams when the server stops, and bounds what is kept
// for clients of theirs that do not read.
func (s *streams) track(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isStream(r) {
			next.ServeHTTP(w, r)
			return
		}
		narrow(r)
		s.open.Add(1)
		defer s.open.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.stopping, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// isStream tells whether the request asks for a socket or for events.
func isStream(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" ||
		strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), "text/event-stream")
}

// wait returns when all streams have said goodbye, or with ctx. Call it when no
// more can begin.
func (s *streams) wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		s.open.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
