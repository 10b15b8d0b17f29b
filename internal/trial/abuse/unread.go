package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const (
	// unreadEntities is how many entities of largePadding bytes the space has: more than fit into
	// one page.
	unreadEntities = 10
	// unreadRequests is how many requests a client sends concurrently. Their responses are more
	// than the system's buffers take, so the server has to wait for the client.
	unreadRequests = 10
	// dropTimeout is how long the server may wait for clients that read nothing, with
	// some more for a busy machine.
	dropTimeout = 2 * time.Minute
)

// attackWithoutReading asks for large responses through all doors and reads nothing of them.
// The server drops such clients, and never holds the responses of all.
func attackWithoutReading(ctx context.Context, s *site) error {
	c, space, err := s.attackerWithSpace(ctx, "Private")
	if err != nil {
		return err
	}
	before, err := s.server.measure(ctx)
	if err != nil {
		return err
	}
	if err := c.fillSpace(ctx, space, unreadEntities); err != nil {
		return err
	}
	requests, err := s.largeRequests(c.key, space)
	if err != nil {
		return err
	}
	var conns []net.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // the server has dropped it
		}
	}()
	for range s.scale.unread {
		for _, request := range requests {
			conn, err := dialer(true).DialContext(ctx, "tcp", s.server.address)
			if err != nil {
				return err
			}
			conns = append(conns, conn)
			if _, err := io.WriteString(conn, strings.Repeat(request, unreadRequests)); err != nil {
				return err
			}
		}
	}
	s.report.add("clients that do not read", float64(len(conns)), "", 0)
	if !s.scale.waitForTimeouts {
		return nil
	}
	start := time.Now()
	err = awaitCondition(ctx, dropTimeout, "clients that do not read are dropped", func() (bool, error) {
		now, err := s.server.measure(ctx)
		return now.goroutines <= before.goroutines+goroutineTolerance, err
	})
	s.report.add("all of them dropped after", time.Since(start).Seconds(), "s", dropTimeout.Seconds())
	return err
}

// fillSpace adds large entities to a space, one after the other.
func (c *client) fillSpace(ctx context.Context, space string, n int) error {
	for i := range n {
		if err := c.putNumbered(ctx, space, i, strings.Repeat("x", largePadding)); err != nil {
			return err
		}
	}
	return nil
}

// largeRequests returns requests whose responses have megabytes, one for each door.
func (s *site) largeRequests(key, space string) ([]string, error) {
	query, err := json.Marshal(map[string]string{"query": fmt.Sprintf("{space(id:%q){entities(first:200){nodes{data}}}}", space)})
	if err != nil {
		return nil, err
	}
	call, err := json.Marshal(toolCall("list_entities", map[string]any{"spaceId": space, "limit": 200}))
	if err != nil {
		return nil, err
	}
	head := "Host: " + s.server.address + "\r\nAuthorization: Bearer " + key + "\r\n"
	post := func(path string, body []byte) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
			path, head, len(body), body)
	}
	return []string{
		"GET /v1/spaces/" + space + "/entities?limit=200 HTTP/1.1\r\n" + head + "\r\n",
		post("/graphql", query),
		post("/v1/mcp", call),
	}, nil
}
