package graph

import (
	"context"
	"fmt"
	"sync"
	"time"

	"portico/model"
)

// How many connections a key may hold open in one process: enough for every tab
// and worker of a user, too few to run the process out of memory.
const (
	maxSockets = 50
	maxStreams = 100
)

// maxBacklog bounds what all subscribers of the process together have not taken
// yet, in bytes. A message is in memory about three times until it is sent.
const maxBacklog = 64 << 20

// comeBack is when a client that was refused a connection should try again. The
// moment when one of the others closes is not known.
const comeBack = 5 * time.Second

// connections counts what each key holds open.
type connections struct {
	kind  string // for the refusal
	limit int

	mu   sync.Mutex
	open map[string]int // by the key's id; only keys that hold something
}

func newConnections(kind string, limit int) *connections {
	return &connections{kind: kind, limit: limit, open: map[string]int{}}
}

// acquire counts one more for the caller's key, or refuses it. It is a
// transport.AcquireFunc. Requests without a key count together: resolvers refuse
// them anyway, so theirs are short.
func (c *connections) acquire(ctx context.Context) (release func(), err error) {
	var key string
	if caller := model.CallerFrom(ctx); caller != nil {
		key = caller.KeyID
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// Counted and taken under one lock: two at once cannot both be the last.
	if c.open[key] >= c.limit {
		return nil, &model.Error{
			Code: model.CodeRateLimited, RetryAfter: comeBack,
			Message: fmt.Sprintf("This key holds %d %s open already", c.limit, c.kind),
		}
	}
	c.open[key]++
	return func() { c.release(key) }, nil
}

func (c *connections) release(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Keys that hold nothing go, or the map would grow with every key ever seen.
	if c.open[key]--; c.open[key] == 0 {
		delete(c.open, key)
	}
}
