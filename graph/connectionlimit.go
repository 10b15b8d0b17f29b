package graph

import (
	"context"
	"fmt"
	"time"

	"portico/internal/semaphore"
	"portico/model"
)

// The maximum number of open connections of an account, or of an address without a key, in one
// process: enough for all tabs and programs of a user, and too few to fill the memory of the
// process.
const (
	maxSockets = 50
	maxStreams = 100
)

// maxAnonymous is the maximum number of sockets, of streams and of subscriptions of all addresses
// without a key together in one process. It leaves room for accounts when a network with many
// addresses opens as many connections as it can. An account has its own limits only.
const maxAnonymous = 5000

// maxBacklog is the maximum total size in bytes of the messages that wait to be sent to the
// subscribers of the process. A waiting message takes about three times its size in memory. Above
// it the transports disconnect the slowest readers.
const maxBacklog = 64 << 20

// connectionRetryAfter is how long a client should wait after a refused connection. It is a guess:
// the server does not know when one of the other connections will close.
const connectionRetryAfter = 5 * time.Second

// connectionLimit limits the open connections of each account, and of each address for
// requests without a key.
type connectionLimit struct {
	kind      string // of connection, for the message of the refusal
	accounts  semaphore.Room
	addresses semaphore.Room
}

func newConnectionLimit(kind string, limit int64) *connectionLimit {
	return &connectionLimit{
		kind: kind, accounts: semaphore.Room{Share: limit},
		addresses: semaphore.Room{Share: limit, Size: maxAnonymous},
	}
}

// acquire counts one more connection of the caller or the address, or refuses it. It is a
// transport.AcquireFunc.
//
// The caller calls release when the connection ends. The response of a refusal is 429 with
// Retry-After.
func (l *connectionLimit) acquire(ctx context.Context) (release func(), err error) {
	holder, open, key := "account", &l.accounts, viewerID(ctx)
	if key == "" {
		holder, open, key = "address", &l.addresses, addressOf(ctx)
	}
	place, ok := open.Enter(key, 1, nil)
	if ok {
		return place.Leave, nil
	}
	message := fmt.Sprintf("This %s already has %d %s open", holder, open.Share, l.kind)
	if open.Size > 0 && open.Taken() >= open.Size {
		message = fmt.Sprintf("Too many %s are open without an API key", l.kind)
	}
	return nil, &model.Error{Code: model.CodeRateLimited, RetryAfter: connectionRetryAfter, Message: message}
}
