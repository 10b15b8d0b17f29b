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

// maxBacklog is the maximum size of the messages that all subscribers of the process have
// not received yet, in bytes. A message is in memory about three times until it is sent.
const maxBacklog = 64 << 20

// connectionRetryAfter is when a client that was refused a connection should try again.
// The server does not know when one of the other connections will close.
const connectionRetryAfter = 5 * time.Second

// connectionLimit limits the open connections of each account.
type connectionLimit struct {
	kind string // of connection, for the message of the refusal
	open semaphore.Keyed
}

func newConnectionLimit(kind string, limit int) *connectionLimit {
	return &connectionLimit{kind: kind, open: semaphore.Keyed{PerKey: limit}}
}

// acquire counts one more connection of the caller, or refuses it. It is a
// transport.AcquireFunc. Requests without a key share one count: resolvers refuse them, so
// they are short.
func (l *connectionLimit) acquire(ctx context.Context) (release func(), err error) {
	var userID string
	if c := model.CallerFrom(ctx); c != nil {
		userID = c.UserID
	}
	release, ok := l.open.Acquire(userID)
	if !ok {
		return nil, &model.Error{
			Code: model.CodeRateLimited, RetryAfter: connectionRetryAfter,
			Message: fmt.Sprintf("This account holds %d %s open already", l.open.PerKey, l.kind),
		}
	}
	return release, nil
}
