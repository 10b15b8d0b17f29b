package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// round implements contender.
func (s *server) round(ctx context.Context, op operation, connections int, duration time.Duration) (sample, error) {
	// All connections take their numbers from one counter, so no two create or delete the same
	// entity.
	r := &round{check: s.checks[op], op: op, numbers: new(atomic.Int64)}
	first := firstMade + s.world.made
	switch op {
	case opCreate:
		r.numbers.Store(int64(first))
		r.end = firstOfPgbench
	case opDelete:
		r.numbers.Store(int64(s.made.first))
		r.end = s.made.end
	}
	result, err := r.run(ctx, s, connections, duration)
	// The next round of delete removes exactly what was created here.
	if op == opCreate {
		s.made = span{first: first, end: int(r.numbers.Load())}
		s.world.made += s.made.end - s.made.first
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s %s: %w", s.title, op, err)
	}
	return result, nil
}

type round struct {
	check   check
	op      operation
	numbers *atomic.Int64 // of the next entity to create or delete
	end     int           // the number after the last of them
}

// run opens the connections, sends one request on each, and measures from then on.
//
// All connections are open before the clock starts, so a round has only requests of its operation.
// The CPU times are read before the first and after the last of them.
func (r *round) run(ctx context.Context, s *server, connections int, duration time.Duration) (result sample, err error) {
	clients := make([]*client, connections)
	defer func() {
		for _, c := range clients {
			if c != nil {
				err = errors.Join(err, c.close())
			}
		}
	}()
	for i := range clients {
		conn, err := connectTo(ctx, s.child.address)
		if err != nil {
			return sample{}, err
		}
		clients[i] = &client{connection: conn, index: i, latencies: make([]time.Duration, 0, 1<<14)}
	}
	// The first request of a connection pays for its statements and buffers, which belong
	// to no request in particular.
	if err := r.forEach(clients, func(c *client) error { return r.warm(c) }); err != nil {
		return sample{}, err
	}
	before, err := s.costs()
	if err != nil {
		return sample{}, err
	}
	start := time.Now()
	deadline := start.Add(duration)
	if err := r.forEach(clients, func(c *client) error { return r.repeat(c, deadline) }); err != nil {
		return sample{}, err
	}
	elapsed := time.Since(start)
	after, err := s.costs()
	if err != nil {
		return sample{}, err
	}
	var latencies []time.Duration
	for _, c := range clients {
		latencies = append(latencies, c.latencies...)
	}
	return newSample(latencies, elapsed, after.minus(before))
}

// forEach runs do for all clients at the same time.
func (r *round) forEach(clients []*client, do func(*client) error) error {
	// Each client writes its own element, so that no lock is needed.
	errs := make([]error, len(clients))
	var all sync.WaitGroup
	for i, c := range clients {
		all.Go(func() { errs[i] = do(c) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// warm sends one request, unless the request would use up an entity that is measured.
func (r *round) warm(c *client) error {
	if r.op == opDelete {
		return nil
	}
	_, err := r.once(c)
	return err
}

// repeat sends requests until the deadline, at least one, or until nothing is left.
func (r *round) repeat(c *client, deadline time.Time) error {
	for now := time.Now(); len(c.latencies) == 0 || now.Before(deadline); {
		more, err := r.once(c)
		if err != nil || !more {
			return err
		}
		// One reading of the clock ends this request and starts the next: a second reading
		// would not be measured.
		then := time.Now()
		c.latencies = append(c.latencies, then.Sub(now))
		now = then
	}
	return nil
}

// once sends a request and checks its response. more is false if no entity was left.
func (r *round) once(c *client) (more bool, err error) {
	v, more := r.nextValues(c)
	if !more {
		return false, nil
	}
	// The buffer is used again: garbage of the client would take cores from the server.
	c.request = r.check.request.appendTo(c.request[:0], v)
	status, body, err := c.do(c.request)
	if err != nil {
		return false, err
	}
	if status != r.check.status || !r.check.response.matches(body, v) {
		return false, fmt.Errorf("response for %s is not the expected one: %d %.300s", v.id, status, body)
	}
	return true, nil
}
