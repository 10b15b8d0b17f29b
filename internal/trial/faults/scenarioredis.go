package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"time"

	"portico/internal/testkit/program"
)

// requestsInWindow is how many requests of one account pass in a minute (API
// section 8, all endpoints).
const requestsInWindow = 300

// runRedis has two servers share their counters in Redis, stops Redis and starts
// it again.
func runRedis(ctx context.Context, w *world, _ int) error {
	redis, err := exec.LookPath("redis-server")
	if err != nil {
		return errSkipped{"redis-server is not installed"}
	}
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return err
	}
	start := func() (stop func(), err error) { return startRedis(ctx, w, redis, address) }
	stop, err := start()
	if err != nil {
		return err
	}
	var servers []*service
	for i := range 2 {
		s, err := w.newServer(ctx, fmt.Sprint("server", i), "PORTICO_RATE_LIMITS=on", "PORTICO_REDIS_URL=redis://"+address)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	if err := startAll(ctx, servers...); err != nil {
		return err
	}
	if err := w.expectPassing(ctx, "shared", servers, requestsInWindow); err != nil {
		return err
	}
	stop()
	w.add(countKills, 1)
	w.add(countFaults, 1)
	// Each counts for itself, and lets a whole window pass.
	if err := w.expectPassing(ctx, "away", servers, 2*requestsInWindow); err != nil {
		return err
	}
	if _, err = start(); err != nil {
		return err
	}
	if err := w.awaitShared(ctx, servers); err != nil {
		return err
	}
	for _, s := range servers {
		if warnings := s.process().Count("redis does not answer"); warnings != 1 {
			w.addViolation("%s warned %d times that redis does not answer, want once", s.name, warnings)
		}
	}
	return w.expectPassing(ctx, "again", servers, requestsInWindow)
}

// startRedis starts a server that stores nothing on the disk. stop kills it.
func startRedis(ctx context.Context, w *world, redis, address string) (stop func(), err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(redis, "--port", port, "--bind", host, "--save", "", "--appendonly", "no") //nolint:noctx // killed with the world
	if err := w.runBeside("redis", cmd); err != nil {
		return nil, err
	}
	err = awaitCondition(ctx, startTimeout, "redis takes connections", func() (bool, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			err = conn.Close()
		}
		return err == nil, nil
	})
	return func() { _ = cmd.Process.Kill() }, err // it runs, so it can be killed
}

// expectPassing sends requests of a new account to the servers in turn, until all
// refuse them, and compares how many passed. No request may fail otherwise.
func (w *world) expectPassing(ctx context.Context, name string, servers []*service, want int) error {
	user, err := w.addUser(ctx, name)
	if err != nil {
		return err
	}
	start, passed, refused := time.Now(), 0, 0
	for i := 0; refused < len(servers) && passed <= want; i++ {
		got, err := user.once(ctx, http.MethodGet, servers[i%len(servers)].url+"/v1/user/me", user.header(), nil)
		if err != nil {
			return err
		}
		w.add("requests", 1)
		switch got.status {
		case http.StatusOK:
			passed, refused = passed+1, 0
		case http.StatusTooManyRequests:
			refused++
		default:
			w.addViolation("%s: a request got %d %s", name, got.status, got.body)
			refused++
		}
	}
	if took := time.Since(start); passed != want && took < time.Minute {
		w.addViolation("%s: %d requests passed in %v, want %d", name, passed, took, want)
	}
	return nil
}

// awaitShared waits until all servers count in redis again. A server retries Redis
// only on a request.
func (w *world) awaitShared(ctx context.Context, servers []*service) error {
	user, err := w.addUser(ctx, "asker")
	if err != nil {
		return err
	}
	return awaitCondition(ctx, 20*time.Second, "the limits are shared again", func() (bool, error) {
		shared := true
		for _, s := range servers {
			if _, err := user.once(ctx, http.MethodGet, s.url+"/v1/user/me", user.header(), nil); err != nil {
				return false, err
			}
			shared = shared && s.process().Count("rate limits are counted in redis again") > 0
		}
		return shared, nil
	})
}
