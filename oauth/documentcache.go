package oauth

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"portico/db"
)

const (
	// defaultLifetime is how long a document without Cache-Control is cached.
	defaultLifetime = 10 * time.Minute
	// maxLifetime is the maximum that Cache-Control can set.
	maxLifetime = 24 * time.Hour
	// maxDocuments is the maximum number of cached documents.
	maxDocuments = 500
)

// lifetime returns how long a response may be cached (RFC 9111 section 5.2.2).
func lifetime(header http.Header) time.Duration {
	age := defaultLifetime
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err != nil {
				return 0 // an invalid age counts as stale (RFC 9111 section 4.2.1)
			}
			age = min(time.Duration(seconds)*time.Second, maxLifetime)
		}
	}
	return age
}

// documentCache caches clients by their addresses in this process. It caches no errors, so that a
// corrected document works immediately. The zero value is ready.
type documentCache struct {
	mu        sync.Mutex
	byAddress map[string]cachedClient
}

// cachedClient is a client and when it expires.
type cachedClient struct {
	client  db.OAuthClient
	expires time.Time
}

// client returns the cached client; nil if there is none, or if it has expired.
func (c *documentCache) client(address string, now time.Time) *db.OAuthClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, ok := c.byAddress[address]
	if !ok || !now.Before(cached.expires) {
		return nil
	}
	return &cached.client
}

// add caches the client, and replaces it if it is cached already. If the cache is full, it drops
// any other client, whose document is then read again. A client that has expired already is not
// cached, so it drops none.
func (c *documentCache) add(client *db.OAuthClient, now, expires time.Time) {
	if !now.Before(expires) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAddress == nil {
		c.byAddress = map[string]cachedClient{}
	}
	delete(c.byAddress, client.ID)
	for address := range c.byAddress {
		if len(c.byAddress) < maxDocuments {
			break
		}
		delete(c.byAddress, address)
	}
	c.byAddress[client.ID] = cachedClient{*client, expires}
}
