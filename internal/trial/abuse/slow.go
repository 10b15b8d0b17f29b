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

// drip is a request that is sent a byte a second, from some byte on.
type drip struct {
	what string
	head string // is sent at once
	// most is how long the server may keep up with it.
	most time.Duration
	// patient tells that it takes minutes to see.
	patient bool
}

// The times that docs/operations.md promises, and some more for a busy machine.
const (
	bodyIn   = 60 * time.Second  // for bodies that come a byte a second
	uploadIn = 150 * time.Second // for uploads that stall
)

// attackSlowly begins requests that hardly go on.
func attackSlowly(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	drips, err := s.drips(ctx, c)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	lasted, failed := make([]time.Duration, len(drips)), make([]error, len(drips))
	for i, d := range drips {
		if d.patient && !s.scale.patient {
			continue
		}
		all.Go(func() { lasted[i], failed[i] = s.dripAll(ctx, d) })
	}
	all.Wait()
	for i, d := range drips {
		if lasted[i] > 0 {
			s.report.add(d.what+": ended after at most", lasted[i].Seconds(), "s", d.most.Seconds())
		}
	}
	return first(failed)
}

// drips are the requests: each way in has one whose body does not end.
func (s *site) drips(ctx context.Context, c *client) ([]drip, error) {
	post := func(what, path, key string) drip {
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n", path, s.server.address)
		if key != "" {
			head += "Authorization: Bearer " + key + "\r\n"
		}
		return drip{what, head + "\r\n{", bodyIn, true}
	}
	upload, err := s.uploadHead(ctx, c)
	return []drip{
		{"headers a byte a second", "GET /v1/spaces HTTP/1.1\r\nX: ", headersIn, false},
		post("REST bodies", "/v1/user/create-space", c.key),
		post("REST bodies without a key", "/v1/user/create-space", ""),
		post("GraphQL bodies", "/graphql", c.key),
		post("MCP bodies", "/v1/mcp", c.key),
		post("OAuth bodies", "/register", ""),
		post("sign-in bodies", "/login", ""),
		post("bodies for no address", "/nowhere", ""),
		{"uploads a byte a second", upload, uploadIn, true},
	}, err
}

// uploadHead returns the beginning of an upload that was promised.
func (s *site) uploadHead(ctx context.Context, c *client) (string, error) {
	address, err := c.promise(ctx, "slow.ply", 1<<20)
	if err != nil {
		return "", err
	}
	to, err := url.Parse(address)
	return fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\nply",
		to.RequestURI(), to.Host, mediaType, 1<<20), err
}

// dripAll sends many of one kind, and returns how long the last one lasted.
func (s *site) dripAll(ctx context.Context, d drip) (time.Duration, error) {
	began := time.Now()
	var all sync.WaitGroup
	failed := make([]error, s.scale.slow)
	for i := range failed {
		all.Go(func() { failed[i] = s.drip(ctx, d) })
	}
	all.Wait()
	return time.Since(began), first(failed)
}

// drip sends one, until the server has had enough of it.
func (s *site) drip(ctx context.Context, d drip) error {
	ctx, cancel := context.WithTimeout(ctx, d.most)
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
		_, _ = io.Copy(io.Discard, conn) // an answer, or a reset: it has ended
		close(ended)
	}()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%s: the server still listens after %v", d.what, d.most)
		case <-ticker.C:
			_, _ = conn.Write([]byte("x")) // fails when the server has closed it
		}
	}
}

// mediaType is what all uploads say they are.
const mediaType = "application/octet-stream"

// promise asks for an upload and returns where to send the bytes.
func (c *client) promise(ctx context.Context, name string, size int) (string, error) {
	var promised struct {
		Params struct{ URL string }
	}
	err := c.call(ctx, http.MethodPost, "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": mediaType,
	}, &promised)
	return promised.Params.URL, err
}
