package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/db"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

// countedCache is a cache whose reads of the database are counted.
type countedCache struct {
	*Cache[string]
	reads   int
	expires time.Time
	err     error
	reading func() // called while a credential is read; nil for nothing
}

// newCountedCache returns the cache of a database whose notifications arrive. Its entries live for
// an hour, so that a busy machine changes no test.
func newCountedCache(t *testing.T, database *db.DB) *countedCache {
	t.Helper()
	testdb.AwaitNotifications(t, database, true)
	c := &countedCache{Cache: NewCache[string](database)}
	c.maxAge = time.Hour
	return c
}

// readsOf returns how often the cache has read the database for these requests, each of which finds
// the owner of a credential.
func (c *countedCache) readsOf(t *testing.T, hashes ...string) int {
	t.Helper()
	c.reads = 0
	for _, hash := range hashes {
		owner, err := c.Find(t.Context(), hash, func(context.Context) (string, time.Time, error) {
			c.reads++
			if c.reading != nil {
				c.reading()
			}
			return "owner of " + hash, c.expires, c.err
		})
		if !errors.Is(err, c.err) || owner != "owner of "+hash {
			t.Errorf("owner of %s: got %q, %v, want it and %v", hash, owner, err, c.err)
		}
	}
	return c.reads
}

func wantReads(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("statements %s: got %d, want %d", what, got, want)
	}
}

func TestCache_reads_a_valid_credential_once(t *testing.T) {
	t.Parallel()
	c := newCountedCache(t, testdb.Open(t))
	wantReads(t, "for two credentials", c.readsOf(t, "a", "a", "b", "a", "b"), 2)
	c.err = errors.New("no such key")
	wantReads(t, "for what is not valid", c.readsOf(t, "c", "c"), 2)
}

func TestCache_ends_at_a_revocation(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t, testdb.Migrate)
	here, there := testdb.OpenSame(t, url), testdb.OpenSame(t, url)
	c := newCountedCache(t, here)
	wantReads(t, "before", c.readsOf(t, "a", "a"), 1)
	here.Announce(db.TopicRevoked)
	wantReads(t, "after a revocation here", c.readsOf(t, "a", "a"), 1)
	there.Announce(db.TopicRevoked)
	for c.readsOf(t, "a") == 0 { // the test's own limit ends it
		time.Sleep(time.Millisecond)
	}
	c.reading = func() { here.Announce(db.TopicRevoked) }
	wantReads(t, "of a credential that was revoked while it was read", c.readsOf(t, "b", "b", "b"), 3)
}

func TestCache_reads_each_time_while_notifications_do_not_arrive(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var away bool
	var open []net.Conn
	database := testdb.OpenSame(t, postgres.Relay(t, postgres.URL(t, testdb.Migrate), func(server, client net.Conn) {
		mu.Lock()
		open = append(open, server, client)
		if away {
			_, _ = server.Close(), client.Close()
		}
		mu.Unlock()
		go postgres.Copy(server, client)
		postgres.Copy(client, server)
	}))
	c := newCountedCache(t, database)
	wantReads(t, "before", c.readsOf(t, "a", "a"), 1)
	mu.Lock()
	away = true
	for _, conn := range open {
		_ = conn.Close()
	}
	mu.Unlock()
	testdb.AwaitNotifications(t, database, false)
	wantReads(t, "during the outage", c.readsOf(t, "a", "a", "a"), 3)
	mu.Lock()
	away = false
	mu.Unlock()
	testdb.AwaitNotifications(t, database, true)
	wantReads(t, "afterwards", c.readsOf(t, "a", "a"), 1)
}

// A session expires by its own clock, and an announcement may be lost.
func TestCache_trusts_an_entry_until_it_expires(t *testing.T) {
	t.Parallel()
	c := newCountedCache(t, testdb.Open(t))
	c.expires = time.Now()
	wantReads(t, "for a credential that has expired", c.readsOf(t, "a", "a"), 2)
	c.expires = time.Now().Add(time.Hour)
	wantReads(t, "for one that expires later", c.readsOf(t, "b", "b"), 1)
	c.maxAge = 0
	wantReads(t, "for old entries", c.readsOf(t, "c", "c"), 2)
	if got := NewCache[string](nil).maxAge; got <= 0 || got >= time.Second {
		t.Errorf("maximum age: got %v, want less than a second", got)
	}
}

func TestCache_is_small_and_has_no_key(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	c := newCountedCache(t, database)
	for i := range maxCached + 10 {
		c.readsOf(t, fmt.Sprint(i))
	}
	if got := len(c.byHash); got > maxCached || got == 0 {
		t.Errorf("entries: got %d, want at most %d", got, maxCached)
	}
	keys, err := NewKeys(database, []byte("0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.EnsureKey(t.Context(), testdb.User(t, database, 0).ID)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := keys.Caller(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(key, KeyPrefix)
	for name, text := range map[string]string{"cache": fmt.Sprintf("%+v", keys.callers.byHash), "caller": fmt.Sprintf("%+v", caller)} {
		if text == "map[]" || strings.Contains(text, secret) {
			t.Errorf("%s: got %s, want an entry without the key", name, text)
		}
	}
}
