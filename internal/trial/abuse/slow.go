package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// slowRequest is a request that is sent at a byte a second after its head. A request is never
// complete: the server must end it.
type slowRequest struct {
	name string
	head string // is sent immediately
	// timeout is how long the server may wait for it.
	timeout time.Duration
	// longTimeout marks a request whose timeout takes minutes.
	longTimeout bool
}

// The times that docs/operations.md promises, and some more for a busy machine.
const (
	bodyTimeout   = 60 * time.Second  // for bodies that come a byte a second
	uploadTimeout = 150 * time.Second // for uploads that stall
)

// attackSlowly sends requests of every kind at a byte a second.
func attackSlowly(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	requests, err := s.slowRequests(ctx, c)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	// Each attack writes its own element, so that no lock is needed.
	lasted, failed := make([]time.Duration, len(requests)), make([]error, len(requests))
	for i, request := range requests {
		if request.longTimeout && !s.scale.waitForTimeouts {
			continue
		}
		all.Go(func() { lasted[i], failed[i] = s.sendAllSlowly(ctx, request) })
	}
	all.Wait()
	for i, request := range requests {
		if lasted[i] > 0 {
			s.report.add(request.name+": ended after at most", lasted[i].Seconds(), "s", request.timeout.Seconds())
		}
	}
	return firstError(failed)
}

// slowRequests returns a request for each door and each kind of body.
func (s *site) slowRequests(ctx context.Context, c *client) ([]slowRequest, error) {
	// The announced length is never reached, so a server without a timeout would wait forever.
	post := func(what, path, key string) slowRequest {
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n", path, s.server.address)
		if key != "" {
			head += "Authorization: Bearer " + key + "\r\n"
		}
		return slowRequest{what, head + "\r\n{", bodyTimeout, true}
	}
	upload, err := s.uploadHead(ctx, c)
	return []slowRequest{
		{"headers a byte a second", "GET /v1/spaces HTTP/1.1\r\nX: ", headersTimeout, false},
		post("REST bodies", "/v1/user/create-space", c.key),
		// Refused by its key: the server must not read the body in order to say so.
		post("REST bodies without a key", "/v1/user/create-space", ""),
		post("GraphQL bodies", "/graphql", c.key),
		post("MCP bodies", "/v1/mcp", c.key),
		post("OAuth bodies", "/register", ""),
		post("sign-in bodies", "/login", ""),
		// A 404 has a body to wait for as well.
		post("bodies for no address", "/nowhere", ""),
		{"uploads a byte a second", upload, uploadTimeout, true},
	}, err
}

// uploadHead returns the start of an announced upload.
func (s *site) uploadHead(ctx context.Context, c *client) (string, error) {
	address, err := c.promise(ctx, "slow.ply", 1<<20)
	if err != nil {
		return "", err
	}
	target, err := url.Parse(address)
	return fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\nply",
		target.RequestURI(), target.Host, mediaType, 1<<20), err
}

// sendAllSlowly sends many requests of one kind concurrently, and returns how long the slowest
// one lasted.
func (s *site) sendAllSlowly(ctx context.Context, d slowRequest) (time.Duration, error) {
	return runInParallel(s.scale.slow, numbers(s.scale.slow), func(int) error { return s.sendSlowly(ctx, d) })
}

// sendSlowly sends a request until the server closes the connection.
func (s *site) sendSlowly(ctx context.Context, d slowRequest) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.server.address)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the server closes it
	if _, err := io.WriteString(conn, d.head); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn) // a response, or a reset: it has ended
		close(ended)
	}()
	// Fast enough to reset a timeout that counts silence, and too slow to ever finish.
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%s: the server still listens after %v", d.name, d.timeout)
		case <-ticker.C:
			_, _ = conn.Write([]byte("x")) // fails when the server has closed it
		}
	}
}

// mediaType is the media type of all uploads.
const mediaType = "application/octet-stream"

// promise announces an upload and returns its presigned URL.
func (c *client) promise(ctx context.Context, name string, size int) (string, error) {
	var promised struct {
		Params struct{ URL string }
	}
	err := c.call(ctx, http.MethodPost, "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": mediaType,
	}, &promised)
	return promised.Params.URL, err
}
