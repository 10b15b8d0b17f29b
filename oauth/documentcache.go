package oauth

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"portico/db"
)

// The lifetimes of cached documents, which their Cache-Control may set within limits.
const (
	defaultLifetime = 10 * time.Minute
	maxLifetime     = 24 * time.Hour
	maxDocuments    = 500
)

// lifetime returns how long a response may be cached (RFC 9111 section 5.2.2).
func lifetime(header http.Header) time.Duration {
	kept := defaultLifetime
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return 0 // RFC 9111 section 4.2.1: stale
			}
			kept = min(time.Duration(seconds)*time.Second, maxLifetime)
		}
	}
	return kept
}

// documentCache caches clients by their addresses in this process. It caches no errors, so
// that a corrected document works at once. The zero value is ready for use.
type documentCache struct {
	mu   sync.Mutex
	kept map[string]keptDocument
}

// keptDocument is a cached client.
type keptDocument struct {
	client  db.OAuthClient
	expires time.Time
}

// client returns the cached client, or nil.
func (c *documentCache) client(address string, now time.Time) *db.OAuthClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.kept[address]
	if !ok || !now.Before(kept.expires) {
		return nil
	}
	return &kept.client
}

// keep caches the client. If the cache is full, it drops any other: the next use reads that
// document again.
func (c *documentCache) keep(client *db.OAuthClient, expires time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]keptDocument{}
	}
	for address := range c.kept {
		if len(c.kept) < maxDocuments {
			break
		}
		delete(c.kept, address)
	}
	c.kept[client.ID] = keptDocument{*client, expires}
}
