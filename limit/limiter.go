package limit

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"portico/model"
)

// The messages of a refusal. A request that can never be allowed gets neverAllowed and no
// RetryAfter.
const (
	overLimit    = "Rate limit exceeded"
	neverAllowed = "Rate limit exceeded: the request has more operations than a minute allows"
)

// Options configures New. The zero value counts in memory.
type Options struct {
	// RedisURL is the Redis in which all processes of the service count together:
	// redis://, rediss:// (TLS) or unix://, with user, password and database. Empty means
	// the memory of this process. Redis need not be available when the server starts.
	RedisURL string
	// TrustedProxies are the addresses whose X-Forwarded-For is used. Empty means none, because
	// a client could otherwise write the header and be counted as another address.
	TrustedProxies []netip.Prefix
	// Limits are the operator's limits, by scope. They replace the defaults.
	Limits map[Scope]int
	// Refused is called at each refusal with the first scope of the request. It may be called
	// concurrently. Nil means no call.
	Refused func(Scope)
	// Logger gets a line when Redis stops answering, and one when it answers again. Nil
	// logs nothing.
	Logger *slog.Logger
	// Now is the clock of the counters in memory; nil is time.Now.
	Now func() time.Time

	// redisTimeout limits the wait for Redis; 0 means 250 ms.
	redisTimeout time.Duration
}

// Limiter counts requests. A nil one has no limits.
type Limiter struct {
	store   store
	local   *memory // counts moves
	limits  map[Scope]int
	proxies []netip.Prefix
	refused func(Scope) // may be nil
	close   func() error
}

// store counts requests: memory, redisStore, or fallback, which switches between them. Its methods
// may be called concurrently.
type store interface {
	// take counts all charges, or none if one that is not forced does not fit into its window.
	take(ctx context.Context, subject Subject, charged []charge) (shortage, error)
}

// shortage describes why charges do not fit into their windows: the charge that has to wait
// longest. Its wait is 0 if all charges fit.
type shortage struct {
	charge    charge
	remaining int // requests left in the charge's window
	wait      time.Duration
}

// budget returns the shortage for clients.
func (s shortage) budget(limits map[Scope]int) *model.Budget {
	return &model.Budget{Limit: limits[s.charge.scope], Cost: s.charge.count, Remaining: &s.remaining}
}

// New returns a Limiter, which the caller closes. It fails for an invalid RedisURL, with an
// error that does not contain the password.
func New(o Options) (*Limiter, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	limits := withDefaults(o.Limits)
	local := newMemory(limits, o.Now)
	l := &Limiter{store: local, local: local, limits: limits, proxies: o.TrustedProxies, refused: o.Refused, close: func() error { return nil }}
	if o.RedisURL == "" {
		return l, nil
	}
	shared, err := newRedis(o.RedisURL, limits, cmp.Or(o.redisTimeout, redisTimeout))
	if err != nil {
		return nil, err
	}
	logger := cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	both := &fallback{shared: shared, local: local, now: o.Now, log: logger}
	l.store, l.close = both, both.close
	return l, nil
}

// Take counts a request of the subject in the scope and, unless the scope is Move, in All. Several
// scopes are several requests that are allowed or refused together, such as the operations of a
// GraphQL document or the steps of an MCP tool. The only error of a refusal is a model.Error with
// CodeRateLimited. Its RetryAfter is in whole seconds, at least one, or zero if the request has more
// operations than a window allows. Such a request counts as one in All.
func (l *Limiter) Take(ctx context.Context, subject Subject, scopes ...Scope) error {
	if l == nil {
		return nil
	}
	charged := charges(l.limits, scopes)
	if l.firstOversized(charged) >= 0 {
		// Otherwise refusing it would be free, and a client could repeat it without end.
		if _, err := l.count(ctx, subject, []charge{{scope: All, count: 1}}); err != nil {
			return err
		}
	}
	return l.take(ctx, subject, scopes, charged)
}

// TakeRequest counts a request in All only: for its account or, without a valid key, for the
// address of the client. The latter limits the guessing of keys. It does not affect other clients
// at the address, because requests with a valid key count for their account.
func (l *Limiter) TakeRequest(r *http.Request) error { return l.Take(r.Context(), l.Subject(r), All) }

// firstOversized returns the index of the first charge that is larger than its limit, or -1.
func (l *Limiter) firstOversized(charged []charge) int {
	return slices.IndexFunc(charged, func(c charge) bool { return c.count > l.limits[c.scope] })
}

// TakeMore counts the operations of a request that Take has counted in All before it was decoded.
// So the first of its scopes does not count in All again.
func (l *Limiter) TakeMore(ctx context.Context, subject Subject, scopes ...Scope) error {
	if l == nil {
		return nil
	}
	charged := charges(l.limits, scopes)
	if len(charged) > 0 && charged[0].scope == All {
		charged[0].count--
	}
	charged = slices.DeleteFunc(charged, func(c charge) bool { return c.count <= 0 })
	return l.take(ctx, subject, scopes, charged)
}

func (l *Limiter) take(ctx context.Context, subject Subject, scopes []Scope, charged []charge) error {
	if len(scopes) == 0 || len(charged) == 0 {
		return nil
	}
	if i := l.firstOversized(charged); i >= 0 {
		l.report(scopes[0])
		budget := &model.Budget{Limit: l.limits[charged[i].scope], Cost: charged[i].count}
		return &model.Error{Code: model.CodeRateLimited, Message: neverAllowed, Budget: budget}
	}
	short, err := l.count(ctx, subject, charged)
	if err != nil || short.wait <= 0 {
		return err
	}
	l.report(scopes[0])
	// Rounded up: a client that waits this long passes, at every door.
	wait := (short.wait + time.Second - 1).Truncate(time.Second)
	return &model.Error{Code: model.CodeRateLimited, Message: overLimit, RetryAfter: wait, Budget: short.budget(l.limits)}
}

// count counts the charges in their stores. Moves are counted in the memory of the process that has
// the visitor's socket, because a round trip to Redis would cost more than the move.
//
// A request in Move and another scope is counted in memory first: if it is refused there, Redis is
// not asked. If it is refused in the other scope, its moves stay counted, for a window at most.
func (l *Limiter) count(ctx context.Context, subject Subject, charged []charge) (shortage, error) {
	if i := slices.IndexFunc(charged, func(c charge) bool { return c.scope == Move }); i >= 0 {
		short, err := l.local.take(ctx, subject, charged[i:i+1])
		charged = slices.Delete(charged, i, i+1)
		if err != nil || short.wait > 0 || len(charged) == 0 {
			return short, err
		}
	}
	return l.store.take(ctx, subject, charged)
}

// report passes the scope of a refused request to Options.Refused, if that is set.
func (l *Limiter) report(scope Scope) {
	if l.refused != nil {
		l.refused(scope)
	}
}

// Close closes the connections to Redis. Later requests are counted in memory.
func (l *Limiter) Close() error {
	if l == nil {
		return nil
	}
	return l.close()
}
