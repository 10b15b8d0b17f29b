package graph_test

import (
	"context"
	"fmt"
	"testing"

	"portico/graph/access"
	"portico/graph/limits"
	"portico/model"
)

func TestConnectionLimit_counts_accounts_and_addresses(t *testing.T) {
	t.Parallel()
	c := limits.NewConnectionLimit("sockets", 2, holder)
	alice := model.WithCaller(t.Context(), &model.Caller{UserID: "1", KeyID: "alice's key"})
	bob := model.WithCaller(t.Context(), &model.Caller{UserID: "2", KeyID: "bob's key"})
	first, err := c.Acquire(alice)
	check(t, err)
	second, err := c.Acquire(alice)
	check(t, err)
	_, err = c.Acquire(alice)
	checkError(t, err, model.CodeRateLimited, "This account already has 2 sockets open")
	equal(t, "retry after", model.AsError(err).RetryAfter, limits.ConnectionRetryAfter)
	others, err := c.Acquire(bob) // counted apart
	check(t, err)
	one, another := anonymously(t.Context(), "ip:192.0.2.1"), anonymously(t.Context(), "ip:192.0.2.2")
	var visitors []func()
	for range 2 {
		release, err := c.Acquire(one)
		check(t, err)
		visitors = append(visitors, release)
	}
	_, err = c.Acquire(one)
	checkError(t, err, model.CodeRateLimited, "This address already has 2 sockets open")
	fromAnother, err := c.Acquire(another)
	check(t, err)
	first()
	again, err := c.Acquire(alice)
	check(t, err)
	for _, release := range append(visitors, second, again, others, fromAnother) {
		release()
	}
	equal(t, "connections that are counted", c.Accounts.Taken()+c.Addresses.Taken(), 0)
}

// TestConnections_of_all_addresses checks that many addresses together leave room for
// accounts.
func TestConnections_of_all_addresses(t *testing.T) {
	t.Parallel()
	c := limits.NewConnectionLimit("sockets", 2, holder)
	for i := range limits.MaxAnonymous {
		_, err := c.Acquire(anonymously(t.Context(), fmt.Sprintf("ip:%d", i)))
		check(t, err)
	}
	_, err := c.Acquire(anonymously(t.Context(), "ip:one more"))
	checkError(t, err, model.CodeRateLimited, "Too many sockets are open without an API key")
	_, err = c.Acquire(model.WithCaller(t.Context(), &model.Caller{UserID: "1"}))
	check(t, err)
}

// anonymously returns the context of a socket without a key.
func anonymously(ctx context.Context, address string) context.Context {
	return access.WithSender(ctx, address)
}

// holder returns the account and the address that the connections of a request count for.
func holder(ctx context.Context) (account, address string) {
	return access.ViewerID(ctx), access.Sender(ctx)
}
