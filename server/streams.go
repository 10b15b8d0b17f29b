package server

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"portico/graph/transport"
	"portico/internal/background"
)

// streams are the open subscriptions, which may never end on their own. http.Server.Shutdown waits
// for handlers, and a stream's handler ends only with its context, so stop ends the contexts first.
// Shutdown does not wait for sockets; wait does.
type streams struct {
	stopping context.Context
	stop     context.CancelFunc // ends the open streams, and every later stream immediately
	open     sync.WaitGroup
}

// newStreams returns streams that stay open until stop is called.
func newStreams() *streams {
	ctx, cancel := context.WithCancel(context.Background())
	return &streams{stopping: ctx, stop: cancel}
}

// endWithServer cancels the contexts of streams when the server stops, and limits the write buffers
// of their connections.
func (s *streams) endWithServer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isStream(r) {
			next.ServeHTTP(w, r)
			return
		}
		limitWriteBuffer(r)
		s.open.Add(1)
		defer s.open.Done()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.stopping, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// isStream reports whether GraphQL responds with a WebSocket or server-sent events. Many
// clients accept events with every query, and prefer JSON.
func isStream(r *http.Request) bool {
	return strings.Trim(r.URL.Path, "/") == "graphql" && (transport.WebSocket{}.Supports(r) || transport.SSE{}.Supports(r))
}

// wait returns when all streams have ended, or the cause of the end of ctx. Call it when no new
// stream can start.
func (s *streams) wait(ctx context.Context) error {
	return background.Wait(ctx, &s.open)
}
