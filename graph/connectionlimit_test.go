package graph

import (
	"context"
	"fmt"
	"testing"

	"portico/model"
)

func TestConnectionLimit_counts_accounts_and_addresses(t *testing.T) {
	t.Parallel()
	c := newConnectionLimit("sockets", 2)
	alice := model.WithCaller(t.Context(), &model.Caller{UserID: "1", KeyID: "alice's key"})
	bob := model.WithCaller(t.Context(), &model.Caller{UserID: "2", KeyID: "bob's key"})
	first, err := c.acquire(alice)
	check(t, err)
	second, err := c.acquire(alice)
	check(t, err)
	_, err = c.acquire(alice)
	checkError(t, err, model.CodeRateLimited, "This account already has 2 sockets open")
	equal(t, "retry after", model.AsError(err).RetryAfter, connectionRetryAfter)
	others, err := c.acquire(bob) // counted apart
	check(t, err)
	one, another := anonymously(t.Context(), "ip:192.0.2.1"), anonymously(t.Context(), "ip:192.0.2.2")
	var visitors []func()
	for range 2 {
		release, err := c.acquire(one)
		check(t, err)
		visitors = append(visitors, release)
	}
	_, err = c.acquire(one)
	checkError(t, err, model.CodeRateLimited, "This address already has 2 sockets open")
	fromAnother, err := c.acquire(another)
	check(t, err)
	first()
	again, err := c.acquire(alice)
	check(t, err)
	for _, release := range append(visitors, second, again, others, fromAnother) {
		release()
	}
	equal(t, "connections that are counted", c.accounts.Taken()+c.addresses.Taken(), 0)
}

// TestConnections_of_all_addresses checks that many addresses together leave room for
// accounts.
func TestConnections_of_all_addresses(t *testing.T) {
	t.Parallel()
	c := newConnectionLimit("sockets", 2)
	for i := range maxAnonymous {
		_, err := c.acquire(anonymously(t.Context(), fmt.Sprintf("ip:%d", i)))
		check(t, err)
	}
	_, err := c.acquire(anonymously(t.Context(), "ip:one more"))
	checkError(t, err, model.CodeRateLimited, "Too many sockets are open without an API key")
	_, err = c.acquire(model.WithCaller(t.Context(), &model.Caller{UserID: "1"}))
	check(t, err)
}

// anonymously returns the context of a socket without a key.
func anonymously(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, anonymousKey{}, &anonymous{address: address})
}
