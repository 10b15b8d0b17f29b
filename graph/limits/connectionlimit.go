package limits

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
	MaxSockets = 50
	MaxStreams = 100
)

// MaxAnonymous is the maximum number of sockets, of streams and of subscriptions of all addresses
// without a key together in one process. It leaves room for accounts when a network with many
// Addresses opens as many connections as it can. An account has its own limits only.
const MaxAnonymous = 5000

// MaxBacklog is the maximum total size in bytes of the messages that wait to be sent to the
// subscribers of the process. A waiting message takes about three times its size in memory. Above
// it the transports disconnect the slowest readers.
const MaxBacklog = 64 << 20

// ConnectionRetryAfter is how long a client should wait after a refused connection. It is a guess:
// the server does not know when one of the other connections will close.
const ConnectionRetryAfter = 5 * time.Second

// ConnectionLimit limits the open connections of each account, and of each address for
// requests without a key.
type ConnectionLimit struct {
	kind      string // of connection, for the message of the refusal
	holder    Holder
	Accounts  semaphore.Room
	Addresses semaphore.Room
}

// Holder returns the account of the request, or its address if it has no account.
type Holder func(ctx context.Context) (account, address string)

// NewConnectionLimit returns a limit of so many connections of this kind, for each account and each
// address.
func NewConnectionLimit(kind string, limit int64, holder Holder) *ConnectionLimit {
	return &ConnectionLimit{
		kind: kind, holder: holder, Accounts: semaphore.Room{Share: limit},
		Addresses: semaphore.Room{Share: limit, Size: MaxAnonymous},
	}
}

// Acquire counts one more connection of the caller or the address, or refuses it. It is a
// transport.AcquireFunc.
//
// The caller calls release when the connection ends. The response of a refusal is 429 with
// Retry-After.
func (l *ConnectionLimit) Acquire(ctx context.Context) (release func(), err error) {
	holder, open := "account", &l.Accounts
	key, address := l.holder(ctx)
	if key == "" {
		holder, open, key = "address", &l.Addresses, address
	}
	place, ok := open.Enter(key, 1, nil)
	if ok {
		return place.Leave, nil
	}
	message := fmt.Sprintf("This %s already has %d %s open", holder, open.Share, l.kind)
	if open.Size > 0 && open.Taken() >= open.Size {
		message = fmt.Sprintf("Too many %s are open without an API key", l.kind)
	}
	return nil, &model.Error{Code: model.CodeRateLimited, RetryAfter: ConnectionRetryAfter, Message: message}
}
