package limit

import (
	"context"
	_ "embed" // for the script
	"errors"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// redisTimeout limits the wait for Redis, including the connection. In a healthy network
// Redis answers in a hundredth of it.
const redisTimeout = 250 * time.Millisecond

//go:embed take.lua
var takeScript string

// redisStore counts in Redis, together with all processes that use the same one.
type redisStore struct {
	client  *redis.Client
	script  *redis.Script
	timeout time.Duration
	limits  map[Scope]int
}

// newRedis returns a store that connects on first use.
func newRedis(address string, limits map[Scope]int, timeout time.Duration) (*redisStore, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("read the Redis URL: %w", withoutURL(err))
	}
	// No retries: the fallback counts in memory instead.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = timeout, timeout, timeout, timeout
	o.ContextTimeoutEnabled = true // also limits dialling, writing and reading together
	o.Protocol = 2                 // without push messages
	o.DisableIdentity = true       // saves a round trip for each connection
	// go-redis writes a line to stderr for each failed dial; the fallback logs an outage
	// once, and so does package presence.
	logging.Disable()
	return &redisStore{redis.NewClient(o), redis.NewScript(takeScript), timeout, limits}, nil
}

// withoutURL removes the URL, which contains the password, from an error.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// take implements store. It fails if Redis does not answer, or responds with an error.
func (s *redisStore) take(ctx context.Context, subject Subject, charged []charge) (shortage, error) {
	// Without the request's cancellation: a client that disconnects must not look like an outage
	// of Redis.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
	defer cancel()
	keys, arguments := make([]string, len(charged)), []any{window.Milliseconds()}
	for i, c := range charged {
		// The braces keep the keys of a subject on one node of a cluster.
		keys[i] = fmt.Sprintf("portico:limit:{%s}:%s", subject, c.scope)
		limit := s.limits[c.scope]
		if c.forced {
			limit = math.MaxInt32
		}
		arguments = append(arguments, c.count, limit)
	}
	// Run sends the hash of the script, and its text only if Redis does not know it.
	result, err := s.script.Run(ctx, s.client, keys, arguments...).Int64Slice()
	if err != nil {
		return shortage{}, fmt.Errorf("count a request in Redis: %w", err)
	}
	if len(result) != 3 || result[1] < 1 || int(result[1]) > len(charged) {
		return shortage{}, fmt.Errorf("count a request in Redis: got %v, want three numbers", result)
	}
	return shortage{
		wait: time.Duration(result[0]) * time.Millisecond, charge: charged[result[1]-1], remaining: max(int(result[2]), 0),
	}, nil
}
