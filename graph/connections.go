package graph

import (
	"context"
	"fmt"
	"time"

	"portico/internal/semaphore"
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
	kind string // for the refusal
	open semaphore.Keyed
}

func newConnections(kind string, limit int) *connections {
	return &connections{kind: kind, open: semaphore.Keyed{PerKey: limit}}
}

// acquire counts one more for the caller, or refuses it. It is a
// transport.AcquireFunc. Requests without a key count together: resolvers refuse
// them anyway, so theirs are short.
func (c *connections) acquire(ctx context.Context) (release func(), err error) {
	var user string
	if caller := model.CallerFrom(ctx); caller != nil {
		user = caller.UserID
	}
	release, ok := c.open.Acquire(user)
	if !ok {
		return nil, &model.Error{
			Code: model.CodeRateLimited, RetryAfter: comeBack,
			Message: fmt.Sprintf("This account holds %d %s open already", c.open.PerKey, c.kind),
		}
	}
	return release, nil
}
