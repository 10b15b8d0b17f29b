package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// scale is the size of all scenarios. Each number is used by one scenario; comments say by which
// clients.
type scale struct {
	subscriptions int // that stop reading
	updates       int // of what they subscribe to
	// What one key hoards: sockets, subscriptions over each, and large entities.
	sockets, follows, entities int

	slow    int // connections of each slow kind
	repeats int // of each bomb
	idle    int // connections that say nothing

	rotations int   // of one account's key
	guessers  int   // addresses that guess one password
	names     int   // sign-in attempts with long names
	quota     int64 // bytes that an account fills with JSON
	queries   int   // that ask for the same entities under many aliases
	unread    int   // clients of each door that read no response
	uploads   int   // that replace bytes that were given up
	zips      int   // of the user whom another one waits for

	// waitForTimeouts reports whether to wait for what takes minutes: stalled uploads, clients
	// that are dropped, and kept connections that are closed.
	waitForTimeouts bool
}

// fullScale returns the scale of a run by hand, which takes many minutes.
func fullScale() scale {
	return scale{
		subscriptions: 1000, updates: 60, sockets: 50, follows: 20, entities: 40, slow: 200, repeats: 20, idle: 10_000,
		rotations: 25, guessers: 30, names: 6000, quota: 60 << 20, queries: 100, unread: 25, uploads: 60, zips: 30, waitForTimeouts: true,
	}
}

// smallScale returns the scale of the tests. It waits for no timeout that takes minutes.
func smallScale() scale {
	return scale{
		subscriptions: 40, updates: 12, sockets: 3, follows: 3, entities: 3, slow: 5, repeats: 1, idle: 200,
		rotations: 5, guessers: 2, names: 200, quota: 4 << 20, queries: 4, unread: 2, uploads: 6, zips: 4,
	}
}

// medianLimit returns the limit for the median of the honest user's requests. The tests run the
// small scale while other tests use the machine, so it only shows that the server still answers.
func (s scale) medianLimit() time.Duration {
	if s.waitForTimeouts {
		return maxHonestP50
	}
	return maxHonestP99
}

// scenario is one kind of attack.
type scenario struct {
	name string
	// memory is the limit of the server's resident memory, in MiB.
	memory float64
	// workers is the server's number of concurrent jobs.
	workers int
	// limited turns rate limits on. The scenarios that do not attack these limits have
	// them off: a hostile request must be refused for its content, not for its frequency.
	limited bool
	attack  func(ctx context.Context, s *site) error
}

// leanMemory is the limit of memory, in MiB, for attacks that consist of requests of single
// users: 300 MB.
const leanMemory = 286

// scenarios returns all scenarios in the order in which they run.
func scenarios() []scenario {
	return []scenario{
		{name: "readers", memory: 1200, attack: attackWithReaders},
		{name: "hoard", memory: 1200, attack: attackByHoarding},
		{name: "slow", memory: 300, attack: attackSlowly},
		{name: "bombs", memory: 400, attack: attackWithBombs},
		{name: "uploads", memory: 300, workers: 2, attack: attackWithUploads},
		{name: "idle", memory: 400, attack: attackWithSilence},
		{name: "clocks", memory: 200, attack: attackWithClocks},
		{name: "keys", memory: leanMemory, limited: true, attack: attackWithFreshKeys},
		{name: "lockout", memory: leanMemory, limited: true, attack: attackBySigningIn},
		{name: "names", memory: leanMemory, limited: true, attack: attackWithLongNames},
		{name: "json", memory: leanMemory, attack: attackWithJSON},
		{name: "unread", memory: leanMemory, attack: attackWithoutReading},
		{name: "quota", memory: leanMemory, workers: 1, attack: attackTheQuota},
		{name: "turns", memory: leanMemory, workers: 2, attack: attackTheQueue},
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
	*observation
	world   *world
	server  *server
	scale   scale
	clients []*client // of the attackers, open until the end of the scenario
}

// observation is what a scenario reports and the honest user beside it.
type observation struct {
	report *report
	honest *honest
}

// The limits for the honest user's responses.
const (
	maxHonestP50 = 100 * time.Millisecond
	maxHonestP99 = 2 * time.Second
)

// run starts a server, lets the scenario attack it while an honest user works, and
// reports how both did.
func (w *world) run(ctx context.Context, s scenario, size scale, r *report) (err error) {
	// Scenarios run side by side, each with its own data folder. With a shared database a
	// server would take another's jobs and find no files for them.
	if s.workers > 0 {
		if w, err = w.withDatabase(ctx, "of_"+s.name); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.database.Close()) }()
	}
	server, err := w.startServer(ctx, s.workers, s.limited)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	user, err := w.newUser(ctx)
	if err != nil {
		return err
	}
	pace := pace
	if s.limited {
		pace = limitedPace
	}
	calm, err := startHonest(ctx, server, user, pace, max(minRounds, int(time.Second/pace)))
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

	worker, err := startHonest(ctx, server, user, pace, 0)
	if err != nil {
		return err
	}
	attacked := &site{observation: &observation{r, worker}, world: w, server: server, scale: size}
	failed := s.attack(ctx, attacked)
	attacked.closeClients()
	worker.stop()
	if err := errors.Join(failed, worker.wait()); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	r.add("honest p50", milliseconds(worker.percentile(50)), "ms", milliseconds(size.medianLimit()))
	return attacked.reportAfter(ctx, s.memory, before)
}

// reportAfter reports what the attack did to the server and to the honest user.
func (s *site) reportAfter(ctx context.Context, maxMemory float64, before measures) error {
	after, err := s.server.measure(ctx)
	if err != nil {
		return err
	}
	s.report.add("peak memory", after.peak, "MiB", maxMemory)
	s.report.add("CPU time", (after.cpu - before.cpu).Seconds(), "s", 0)
	s.report.add("honest requests", float64(s.honest.count()), "", 0)
	s.report.add("honest p99", milliseconds(s.honest.percentile(99)), "ms", milliseconds(maxHonestP99))
	s.report.add("panics", float64(s.server.panics()), "", none)
	return s.server.awaitIdle(ctx, s.report, before)
}
