package graph

import (
	"context"
	"fmt"
	"sync"
	"time"

	"portico/model"
)

// How many connections an account may hold open in one process: enough for every tab
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

// connections counts what each account holds open.
type connections struct {
	kind  string // for the refusal
	limit int

	mu   sync.Mutex
	open map[string]int // by the account's id; only accounts that hold something
}

func newConnections(kind string, limit int) *connections {
	return &connections{kind: kind, limit: limit, open: map[string]int{}}
}

// acquire counts one more for the caller, or refuses it. It is a
// transport.AcquireFunc. Requests without a key count together: resolvers refuse
// them anyway, so theirs are short.
func (c *connections) acquire(ctx context.Context) (release func(), err error) {
	var user string
	if caller := model.CallerFrom(ctx); caller != nil {
		user = caller.UserID
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// Counted and taken under one lock: two at once cannot both be the last.
	if c.open[user] >= c.limit {
		return nil, &model.Error{
			Code: model.CodeRateLimited, RetryAfter: comeBack,
			Message: fmt.Sprintf("This account holds %d %s open already", c.limit, c.kind),
		}
	}
	c.open[user]++
	return func() { c.release(user) }, nil
}

func (c *connections) release(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Who holds nothing goes, or the map would grow with every account ever seen.
	if c.open[user]--; c.open[user] == 0 {
		delete(c.open, user)
	}
}
