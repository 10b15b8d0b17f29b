package graph

import (
	"testing"

	"portico/model"
)

func TestConnections(t *testing.T) {
	t.Parallel()
	c := newConnectionLimit("sockets", 2)
	alice := model.WithCaller(t.Context(), &model.Caller{UserID: "1", KeyID: "alice's key"})
	bob := model.WithCaller(t.Context(), &model.Caller{UserID: "2", KeyID: "bob's key"})
	first, err := c.acquire(alice)
	check(t, err)
	second, err := c.acquire(alice)
	check(t, err)
	_, err = c.acquire(alice)
	checkError(t, err, model.CodeRateLimited, "This account holds 2 sockets open already")
	equal(t, "retry after", model.AsError(err).RetryAfter, connectionRetryAfter)
	others, err := c.acquire(bob) // counted apart
	check(t, err)
	nobodys, err := c.acquire(t.Context())
	check(t, err)
	first()
	again, err := c.acquire(alice)
	check(t, err)
	for _, release := range []func(){second, again, others, nobodys} {
		release()
	}
	equal(t, "connections that are counted", c.open.Held(), 0)
}
