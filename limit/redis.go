package limit

import (
	"context"
	_ "embed" // for the script
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// redisTimeout is how long Redis may take to answer, connecting included. In a
// healthy network it takes a hundredth of it.
const redisTimeout = 250 * time.Millisecond

//go:embed take.lua
var takeScript string

// redisStore counts in Redis, for all processes that use the same one.
type redisStore struct {
	client  *redis.Client
	script  *redis.Script
	timeout time.Duration
}

// newRedis returns a store that connects when it is first used.
func newRedis(address string, timeout time.Duration) (*redisStore, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("read the Redis URL: %w", withoutURL(err))
	}
	// Each request tries once; the fallback knows better what to do then.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.ContextTimeoutEnabled = true // the four of them together, too
	o.Protocol = 2                 // no messages besides answers
	o.DisableIdentity = true       // saves a round trip for each connection
	// go-redis writes a line of its own to stderr for each dial that fails; the
	// fallback says it once, in our log. Nothing else here uses go-redis.
	logging.Disable()
	return &redisStore{redis.NewClient(o), redis.NewScript(takeScript), timeout}, nil
}

// withoutURL leaves out of an error the address that it repeats, password and all.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// take implements store. It fails when Redis does not answer, or not as it must.
func (s *redisStore) take(ctx context.Context, subject Subject, charged []charge) (time.Duration, error) {
	// A client that leaves is no sign that Redis has: it is asked to the end.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
	defer cancel()
	keys, arguments := make([]string, len(charged)), []any{window.Milliseconds()}
	for i, c := range charged {
		// The braces keep the keys of a subject on one node of a cluster.
		keys[i] = fmt.Sprintf("portico:limit:{%s}:%s", subject, c.scope)
		arguments = append(arguments, c.count, limits[c.scope])
	}
	// By its hash; the text is sent only to a Redis that does not know it yet.
	wait, err := s.script.Run(ctx, s.client, keys, arguments...).Int64()
	if err != nil {
		return 0, fmt.Errorf("count a request in Redis: %w", err)
	}
	return time.Duration(wait) * time.Millisecond, nil
}
