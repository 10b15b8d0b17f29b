package connection

import (
	"context"
	"net/http"
	"sync"

	"portico/internal/background"
	"portico/server/observe"
)

// Streams are the open subscriptions, which may never end on their own. http.Server.Shutdown waits
// for handlers, and a stream's handler ends only with its context, so stop ends the contexts first.
// Shutdown does not wait for sockets; wait does.
type Streams struct {
	stopping context.Context
	stop     context.CancelFunc
	open     sync.WaitGroup
}

// NewStreams returns streams that stay open until stop is called.
func NewStreams() *Streams {
	ctx, cancel := context.WithCancel(context.Background())
	return &Streams{stopping: ctx, stop: cancel}
}

// Stopping returns a context that ends with Stop.
func (s *Streams) Stopping() context.Context { return s.stopping }

// Stop ends the open streams, and every later stream immediately.
func (s *Streams) Stop() { s.stop() }

// EndWithServer cancels the contexts of streams when the server stops, and limits the write buffers
// of their connections.
func (s *Streams) EndWithServer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !observe.IsStream(r) {
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

// Wait returns when all streams have ended, or the cause of the end of ctx. Call it when no new
// stream can start.
func (s *Streams) Wait(ctx context.Context) error {
	return background.Wait(ctx, &s.open)
}
