package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// scale is how much of everything there is.
type scale struct {
	subscriptions int // that stop reading
	updates       int // of what they subscribe to
	// What one key hoards: sockets, subscriptions over each, and large entities.
	sockets, follows, entities int

	slow    int // connections of each slow kind
	repeats int // of each bomb
	idle    int // connections that say nothing
	// patient tells to wait for what takes minutes: stalled uploads, sockets
	// that are dropped, and kept connections that are reaped.
	patient bool
}

func full() scale {
	return scale{subscriptions: 1000, updates: 60, sockets: 50, follows: 20, entities: 40, slow: 200, repeats: 20, idle: 10_000, patient: true}
}

func small() scale {
	return scale{subscriptions: 40, updates: 12, sockets: 3, follows: 3, entities: 3, slow: 5, repeats: 1, idle: 200}
}

// scenario is one kind of attack.
type scenario struct {
	name string
	// memory is the bound of the server's resident memory, in MiB.
	memory float64
	// workers is how many jobs the server works on at a time.
	workers int
	attack  func(ctx context.Context, s *site) error
}

func scenarios() []scenario {
	return []scenario{
		{"readers", 1200, 0, attackWithReaders},
		{"hoard", 1200, 0, attackByHoarding},
		{"slow", 300, 0, attackSlowly},
		{"bombs", 400, 0, attackWithBombs},
		{"uploads", 300, 2, attackWithUploads},
		{"idle", 400, 0, attackIdly},
		{"clocks", 200, 0, attackWithClocks},
	}
}

func names() []string {
	var all []string
	for _, s := range scenarios() {
		all = append(all, s.name)
	}
	return all
}

// site is a server under attack.
type site struct {
	*scenarioRun
	world  *world
	server *server
	scale  scale
}

// scenarioRun is what a scenario has for itself.
type scenarioRun struct {
	report *report
	honest *honest
}

// The bounds of what an honest user notices.
const (
	honestP50 = 100 * time.Millisecond
	honestP99 = 2 * time.Second
)

// play starts a server, lets the scenario attack it while an honest user
// works, and reports what both became.
func (w *world) play(ctx context.Context, s scenario, size scale, r *report) (err error) {
	server, err := w.startServer(ctx, s.workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	user, err := w.newUser(ctx)
	if err != nil {
		return err
	}
	calm, err := startHonest(ctx, server, user, 50)
	if err != nil {
		return err
	}
	if err := calm.wait(); err != nil {
		return fmt.Errorf("the honest user, before the attack: %w", err)
	}
	before, err := server.measure(ctx)
	if err != nil {
		return err
	}
	r.add("memory before", before.resident, "MiB", 0)
	r.add("honest p99 before", milliseconds(calm.percentile(99)), "ms", 0)

	worker, err := startHonest(ctx, server, user, 0)
	if err != nil {
		return err
	}
	failed := s.attack(ctx, &site{&scenarioRun{r, worker}, w, server, size})
	worker.stop()
	if err := errors.Join(failed, worker.wait()); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return reportAfter(ctx, s, r, server, before, worker)
}

// reportAfter reports what the attack did to the server and to the user.
func reportAfter(ctx context.Context, s scenario, r *report, server *server, before measures, user *honest) error {
	after, err := server.measure(ctx)
	if err != nil {
		return err
	}
	r.add("memory at most", after.peak, "MiB", s.memory)
	r.add("CPU time", (after.cpu - before.cpu).Seconds(), "s", 0)
	r.add("honest requests", float64(user.count()), "", 0)
	r.add("honest p50", milliseconds(user.percentile(50)), "ms", milliseconds(honestP50))
	r.add("honest p99", milliseconds(user.percentile(99)), "ms", milliseconds(honestP99))
	r.add("panics", float64(server.panics()), "", none)
	return server.settled(ctx, r, before)
}
