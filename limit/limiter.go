package limit

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"portico/model"
)

// The messages of a refusal. How long to wait goes beside the first; a request
// that never fits has no such time.
const (
	message  = "Rate limit exceeded"
	tooLarge = "Rate limit exceeded: the request has more operations than a minute allows"
)

// Options says where requests are counted, and whom they are counted for.
type Options struct {
	// RedisURL is where all processes of the service count together:
	// redis://, rediss:// (TLS) or unix://, with user, password and database.
	// Empty counts in the memory of this process. Redis need not be there when
	// the server starts.
	RedisURL string
	// TrustedProxies are the addresses whose X-Forwarded-For is believed. With
	// none, nobody's is: any client can write one, and so count for another.
	TrustedProxies []netip.Prefix
	// Refused is called at each refusal, with the first of the scopes of the request,
	// by several goroutines at once. Nil is not called.
	Refused func(Scope)
	// Logger gets a line when Redis stops answering and one when it is back.
	// Nil logs nothing.
	Logger *slog.Logger
	// Now is the clock of the counters in memory; nil is time.Now.
	Now func() time.Time

	// redisTimeout is how long Redis may take; 0 is 250 ms.
	redisTimeout time.Duration
}

// Limiter counts requests. A nil one lets everything pass: limits are off.
type Limiter struct {
	store   store
	proxies []netip.Prefix
	refused func(Scope) // may be nil
	close   func() error
}

// store counts. There are two, memory and redisStore, and fallback between them.
type store interface {
	// take counts all the charges, or none of them when one does not fit into
	// its window; wait is then how long it is until all can.
	take(ctx context.Context, subject Subject, charged []charge) (wait time.Duration, err error)
}

// New returns a Limiter, which is to be closed. It fails for a RedisURL that
// cannot be read, with an error that does not repeat its password.
func New(o Options) (*Limiter, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	local := newMemory(o.Now)
	l := &Limiter{store: local, proxies: o.TrustedProxies, refused: o.Refused, close: func() error { return nil }}
	if o.RedisURL == "" {
		return l, nil
	}
	shared, err := newRedis(o.RedisURL, cmp.Or(o.redisTimeout, redisTimeout))
	if err != nil {
		return nil, err
	}
	logger := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	both := &fallback{shared: shared, local: local, now: o.Now, log: logger}
	l.store, l.close = both, both.close
	return l, nil
}

// Take counts a request of the subject in the scope and in All. Several scopes
// are several requests that pass or are refused as one: the operations of a
// GraphQL document, or the steps of one MCP tool. A refusal is a model.Error of
// CodeRateLimited; there is no other error. Its RetryAfter is whole seconds, at
// least one, or zero where the request has more operations than a window takes and
// can never pass.
func (l *Limiter) Take(ctx context.Context, subject Subject, scopes ...Scope) error {
	if l == nil || len(scopes) == 0 {
		return nil
	}
	charged := charges(scopes)
	if slices.ContainsFunc(charged, charge.neverFits) {
		l.report(scopes[0])
		return &model.Error{Code: model.CodeRateLimited, Message: tooLarge}
	}
	wait, err := l.store.take(ctx, subject, charged)
	if err != nil || wait <= 0 {
		return err
	}
	l.report(scopes[0])
	// Rounded up: a client that waits so long gets through, at every door.
	wait = (wait + time.Second - 1).Truncate(time.Second)
	return &model.Error{Code: model.CodeRateLimited, Message: message, RetryAfter: wait}
}

// report calls Refused.
func (l *Limiter) report(scope Scope) {
	if l.refused != nil {
		l.refused(scope)
	}
}

// Close closes the connections to Redis. Requests that come later are counted in
// memory.
func (l *Limiter) Close() error {
	if l == nil {
		return nil
	}
	return l.close()
}
