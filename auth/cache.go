package auth

import (
	"context"
	"sync"
	"time"

	"portico/db"
)

const (
	// maxCacheAge is how long a cache trusts what it has read. Every process must refuse a revoked
	// credential within a second, even if it never gets the announcement.
	maxCacheAge = 500 * time.Millisecond
	// maxCached limits the memory of a cache to about 2 MB.
	maxCached = 10_000
)

// Cache remembers for half a second whose the valid credentials of recent requests are. Owner
// describes the account.
//
// A revocation empties the cache: at once in the process that revokes, and when the announcement
// arrives in the others. While announcements do not arrive, each request reads the database. What
// is not valid is never remembered, so guesses fill no memory.
type Cache[Owner any] struct {
	db     *db.DB
	maxAge time.Duration

	mu      sync.Mutex
	revoked <-chan struct{} // has a signal after a revocation; nil before the first request
	emptied int             // how often
	byHash  map[string]cached[Owner]
}

// cached is what a cache has read of a credential.
type cached[Owner any] struct {
	owner Owner
	until time.Time
}

// NewCache returns an empty cache for credentials that the database announces in db.TopicRevoked.
func NewCache[Owner any](database *db.DB) *Cache[Owner] {
	return &Cache[Owner]{db: database, maxAge: maxCacheAge, byHash: map[string]cached[Owner]{}}
}

// Find returns the owner of the credential with this hash, or the error of read, which reads the
// owner and when the credential expires; the zero time for never.
func (c *Cache[Owner]) Find(
	ctx context.Context, hash string, read func(context.Context) (Owner, time.Time, error),
) (Owner, error) {
	start := time.Now()
	known, emptied := c.recall(hash)
	if start.Before(known.until) {
		return known.owner, nil
	}
	owner, expires, err := read(ctx)
	until := start.Add(c.maxAge)
	if !expires.IsZero() && expires.Before(until) {
		until = expires
	}
	if err == nil {
		c.remember(hash, cached[Owner]{owner, until}, emptied)
	}
	return owner, err
}

// recall returns what the cache knows of a credential, the zero value for nothing, and how often the
// cache was emptied.
func (c *Cache[Owner]) recall(hash string) (known cached[Owner], emptied int) {
	listens := c.db.Listens() // before the signal: a connection that is back sends one first
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revoked == nil {
		c.revoked = c.db.Watch(context.Background(), db.TopicRevoked)
	}
	select {
	case <-c.revoked:
		c.empty()
	default:
	}
	if listens {
		known = c.byHash[hash]
	}
	return known, c.emptied
}

// remember remembers a credential, unless the cache was emptied while it was read: then it may have
// been revoked since.
func (c *Cache[Owner]) remember(hash string, known cached[Owner], emptied int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.emptied != emptied {
		return
	}
	if len(c.byHash) >= maxCached {
		c.empty() // each entry is worth one statement, and most have expired
	}
	c.byHash[hash] = known
}

// empty forgets all credentials. The caller holds the lock.
func (c *Cache[Owner]) empty() {
	clear(c.byHash)
	c.emptied++
}
