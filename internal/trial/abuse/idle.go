package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// The times after which a server closes silent connections, with some more for a busy
// machine: 10 s without headers, 2 minutes for connections that are kept.
const (
	headersTimeout = 30 * time.Second
	keptFor        = 3 * time.Minute
)

// dialers is the number of connections that are opened at a time.
const dialers = 50

// attackWithSilence opens thousands of silent connections. Half of them never send anything,
// half have sent one request and are kept.
func attackWithSilence(ctx context.Context, s *site) error {
	silent, err := s.open(ctx, s.scale.idle/2, nil)
	defer silent.close()
	if err != nil {
		return err
	}
	kept, err := s.open(ctx, s.scale.idle/2, askOnce)
	defer kept.close()
	if err != nil {
		return err
	}
	now, err := s.server.measure(ctx)
	if err != nil {
		return err
	}
	s.report.add("idle connections", float64(s.scale.idle), "", 0)
	s.report.add("memory with all of them", now.resident, "MiB", 0)
	if err := s.awaitClosed(ctx, silent, headersTimeout, "silent"); err != nil || !s.scale.waitForTimeouts {
		return err
	}
	return s.awaitClosed(ctx, kept, keptFor, "kept")
}

// connections are open connections that the server should close.
type connections struct {
	conns []net.Conn
	ended atomic.Int64
	tasks sync.WaitGroup
}

// open opens connections, many at a time, and lets prepare use each once. After an error the result
// has the connections that were opened, for close.
func (s *site) open(ctx context.Context, n int, prepare func(net.Conn, *server) error) (*connections, error) {
	c := &connections{conns: make([]net.Conn, n)}
	failed := make([]error, dialers)
	var tasks sync.WaitGroup
	for first := range dialers {
		tasks.Go(func() {
			for i := first; i < n && failed[first] == nil; i += dialers {
				var d net.Dialer
				conn, err := d.DialContext(ctx, "tcp", s.server.address)
				if err == nil && prepare != nil {
					err = prepare(conn, s.server)
				}
				c.conns[i], failed[first] = conn, err
			}
		})
	}
	tasks.Wait()
	if err := firstError(failed); err != nil {
		return c, fmt.Errorf("open %d connections: %w", n, err)
	}
	for _, conn := range c.conns {
		c.tasks.Go(func() {
			_, _ = io.Copy(io.Discard, conn) // however it ends, it has ended
			c.ended.Add(1)
		})
	}
	return c, nil
}

// askOnce sends a request and keeps the connection.
func askOnce(conn net.Conn, s *server) error {
	if _, err := fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", s.address); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// awaitClosed waits until the server has closed all connections.
func (s *site) awaitClosed(ctx context.Context, c *connections, timeout time.Duration, what string) error {
	start := time.Now()
	err := awaitCondition(ctx, timeout, "all "+what+" connections are closed", func() (bool, error) {
		return c.ended.Load() == int64(len(c.conns)), nil
	})
	s.report.add(what+" connections closed after", time.Since(start).Seconds(), "s", timeout.Seconds())
	return err
}

// close closes what is still open.
func (c *connections) close() {
	for _, conn := range c.conns {
		if conn != nil {
			_ = conn.Close() // mostly closed by the server
		}
	}
	c.tasks.Wait()
}
