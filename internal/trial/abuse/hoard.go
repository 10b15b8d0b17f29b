package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// largePadding makes entities nearly as large as a body can be.
const largePadding = 900 << 10

// attackByHoarding does the worst that one key can do: its sockets follow a space of large entities
// many times each and read nothing, while all entities change. The server must not keep the changes
// for each subscription: they would take gigabytes.
func attackByHoarding(ctx context.Context, s *site) error {
	c, space, err := s.attackerWithSpace(ctx, "Private")
	if err != nil {
		return err
	}
	if err := c.putAllNumbered(ctx, space, s.scale.entities, ""); err != nil {
		return err
	}
	var sockets []*subscription
	defer func() { closeAll(sockets) }()
	for range s.scale.sockets {
		socket, err := openSocket(ctx, s.server, c.key, space, true)
		if err != nil {
			return err
		}
		sockets = append(sockets, socket)
		for i := 1; i < s.scale.follows; i++ {
			if err := socket.resubscribe(ctx, fmt.Sprintf("also %d", i), space); err != nil {
				return err
			}
		}
	}
	s.report.add("subscriptions of one key", float64(s.scale.sockets*s.scale.follows), "", 0)
	s.report.add("MiB that change for each", float64(s.scale.entities)*largePadding/(1<<20), "", 0)
	return c.putAllNumbered(ctx, space, s.scale.entities, strings.Repeat("x", largePadding))
}

// putAllNumbered writes n entities concurrently.
func (c *client) putAllNumbered(ctx context.Context, space string, n int, padding string) error {
	_, err := runInParallel(n, numbers(n), func(i int) error { return c.putNumbered(ctx, space, i, padding) })
	return err
}

// putNumbered creates or updates the entity with a number.
func (c *client) putNumbered(ctx context.Context, space string, number int, padding string) error {
	return c.call(ctx, http.MethodPost, strings.TrimSuffix(entity(space), "/thing"), map[string]any{
		"entity_id": fmt.Sprintf("hoard%d", number), "entity_data": map[string]any{"padding": padding},
	}, &struct{}{})
}
