package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"portico/internal/testkit/program"
)

const (
	// maxRounds is how many times each fault of a failover happens in a full run.
	maxRounds = 10
	// calm is how long nothing happens between two faults.
	calm = time.Second
)

// failover is an installation of two servers and two workers over a primary with a synchronous
// standby, Redis and a bucket. Each process reaches each engine through a relay of its own.
type failover struct {
	*world
	pair     *pair
	servers  []*service
	services []*service // the servers and the workers
	// relays are the network, by the names of the two ends. There is one from each service to db1,
	// db2, redis and the bucket, and one between the servers of the database.
	relays map[string]*relay
	// replication has the address of the relay to each member of the pair, for its standby.
	replication [2]string
	editors     []*client // of one account, at each server
	probeSpace  string
	limits      failoverLimits
}

// failoverLimits are the times that a failover may take.
type failoverLimits struct {
	back time.Duration // from a promotion until each server writes
	wait time.Duration // for any request
}

// failoverFault is one thing that happens. Its action returns when everything is as it was before.
type failoverFault struct {
	name   string
	action func(ctx context.Context) error
}

// faults returns all of them.
func (f *failover) faults() []failoverFault {
	losing := func(lose func(context.Context, *member) (func() error, error)) func(context.Context) error {
		return func(ctx context.Context) error { return f.failOver(ctx, lose) }
	}
	return []failoverFault{
		{"primaries killed", losing(f.killPrimary)},
		{"primaries that hung", losing(f.hangPrimary)},
		{"primaries cut off", losing(f.cutOffPrimary)},
		{"primaries killed without their standby", losing(f.killAlonePrimary)},
		{"switchovers", losing(f.stopPrimary)},
		{"cuts between primary and standby", f.cutReplication},
		{"cuts to the primary", func(ctx context.Context) error { return f.cutFrom(ctx, f.pair.members[f.pair.primary].name) }},
		{"cuts to the bucket", func(ctx context.Context) error { return f.cutFrom(ctx, "bucket") }},
		{"cuts to redis", func(ctx context.Context) error { return f.cutFrom(ctx, "redis") }},
		{"processes stopped", f.stopProcess},
		{"processes killed", f.killProcess},
		{"clocks of the database moved", f.moveDatabaseClock},
	}
}

// runFailover breaks everything that can be lost, each thing this many times in random order, while
// clients work, and then looks for what was lost, done twice or seen out of order.
func runFailover(ctx context.Context, w *world, runs int) error {
	limits := failoverLimits{back: 5 * time.Second, wait: 10 * time.Second}
	return w.failThrough(ctx, limits, func(f *failover) (order []failoverFault) {
		for range min(runs, maxRounds) {
			order = append(order, f.faults()...)
		}
		w.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order
	})
}

// failThrough starts an installation, lets faults happen in an order, and audits it.
func (w *world) failThrough(ctx context.Context, limits failoverLimits, choose func(*failover) []failoverFault) error {
	f, err := newFailover(ctx, w)
	if err != nil {
		return err
	}
	load, err := f.newLoad(ctx)
	if err != nil {
		return err
	}
	f.limits, w.requestLimit = limits, limits.wait
	stop := load.start(ctx)
	for _, fault := range choose(f) {
		w.add(countFaults, 1)
		w.add(fault.name, 1)
		if err = f.happen(ctx, load, fault); err != nil {
			err = fmt.Errorf("%s: %w", fault.name, err)
			break
		}
	}
	stop()
	if err != nil {
		return err
	}
	w.requestLimit = 0 // the audit asks for everything at once
	return load.audit(ctx)
}

// happen lets one fault happen, with entities of its own that clients work on meanwhile.
func (f *failover) happen(ctx context.Context, load *failoverLoad, fault failoverFault) error {
	histories, err := load.newHistories(ctx)
	if err != nil {
		return err
	}
	stopping := make(chan struct{})
	var working sync.WaitGroup
	for _, h := range histories {
		for i := range clientsOfEntity {
			working.Go(func() { h.work(ctx, f.editors[i%len(f.editors)], i, stopping) })
		}
	}
	err = errors.Join(pause(ctx, calm), fault.action(ctx))
	if err == nil {
		err = errors.Join(f.awaitWrites(ctx, time.Time{}), pause(ctx, calm))
	}
	close(stopping)
	working.Wait()
	for _, h := range histories {
		h.check(f.world)
	}
	return err
}

// newFailover starts the installation.
func newFailover(ctx context.Context, w *world) (*failover, error) {
	redisServer, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errSkipped{"redis-server is not installed"}
	}
	f := &failover{world: w, relays: map[string]*relay{}}
	if f.pair, err = newPair(ctx, w); err != nil {
		return nil, err
	}
	for i, m := range f.pair.members {
		if f.replication[i], err = f.connect(ctx, m.name+" to its standby", m.address); err != nil {
			return nil, err
		}
	}
	if err := f.pair.standBy(ctx, f.replication[f.pair.primary]); err != nil {
		return nil, err
	}
	redis, err := program.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := startRedis(ctx, w, redisServer, redis); err != nil {
		return nil, err
	}
	endpoint, err := w.openGateway(ctx)
	if err != nil {
		return nil, err
	}
	w.keepFilesAt(endpoint)
	first, second := f.pair.members[0], f.pair.members[1]
	w.settings = append(w.settings, "PORTICO_WEBHOOK_NETWORKS=127.0.0.0/8",
		"PORTICO_DATABASE_URL="+severalHosts("portico_app", first.address, second.address),
		"PORTICO_MIGRATE_DATABASE_URL="+severalHosts("portico_owner", first.address, second.address))
	if out, err := w.installation().Command(nil, "migrate").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("migrate: %w\n%s", err, out)
	}
	for _, name := range []string{"server1", "server2"} {
		s, err := w.newServer(ctx, name)
		if err != nil {
			return nil, err
		}
		f.servers = append(f.servers, s)
	}
	f.services = append([]*service{w.newWorker("worker1"), w.newWorker("worker2")}, f.servers...)
	for _, s := range f.services {
		if err := f.connectService(ctx, s, redis, strings.TrimPrefix(endpoint, "http://")); err != nil {
			return nil, err
		}
	}
	return f, startAll(ctx, f.services...)
}

// severalHosts returns the address of the database for a role, at both servers.
func severalHosts(role, first, second string) string {
	return "postgres://" + role + "@" + first + "," + second + "/portico?sslmode=disable&target_session_attrs=read-write"
}

// connect opens a relay to an address and returns its own address.
func (f *failover) connect(ctx context.Context, name, to string) (string, error) {
	r, address, err := openRelay(ctx, "tcp", to)
	if err != nil {
		return "", err
	}
	f.onClose(r.close)
	f.relays[name] = r
	return address, nil
}

// connectService gives a service relays to all engines.
func (f *failover) connectService(ctx context.Context, s *service, redis, bucket string) error {
	addresses := map[string]string{}
	for name, to := range map[string]string{"db1": f.pair.members[0].address, "db2": f.pair.members[1].address, "redis": redis, "bucket": bucket} {
		address, err := f.connect(ctx, s.name+" to "+name, to)
		if err != nil {
			return err
		}
		addresses[name] = address
	}
	s.settings = append(s.settings, "PORTICO_DATABASE_URL="+severalHosts("portico_app", addresses["db1"], addresses["db2"]),
		"PORTICO_STORAGE_URL=s3://"+gatewayBucket+"?endpoint=http://"+addresses["bucket"])
	if s.url != "" {
		s.settings = append(s.settings, "PORTICO_REDIS_URL=redis://"+addresses["redis"])
	}
	return nil
}

// failOver loses the primary, promotes its standby, and measures when writes pass again. Then it
// makes the lost server the standby of the new primary. lose returns what is done with the lost
// server once the other one is promoted.
func (f *failover) failOver(ctx context.Context, lose func(ctx context.Context, lost *member) (end func() error, err error)) error {
	lost := f.pair.members[f.pair.primary]
	end, err := lose(ctx, lost)
	if err != nil {
		return err
	}
	promoted, err := f.pair.promote(ctx)
	if err != nil {
		return err
	}
	f.add("promotions", 1)
	err = f.awaitWrites(ctx, promoted)
	if end != nil {
		err = errors.Join(err, end())
	}
	for name, r := range f.relays {
		if strings.HasSuffix(name, " to "+lost.name) || name == lost.name+" to its standby" {
			r.set(relayOpen)
		}
	}
	return errors.Join(err, f.pair.standBy(ctx, f.replication[f.pair.primary]))
}

// killPrimary kills the primary, as a machine that loses its power.
func (f *failover) killPrimary(_ context.Context, lost *member) (func() error, error) {
	f.add(countKills, 1)
	lost.kill()
	return nil, nil
}

// hangPrimary stops all processes of the primary: it keeps its connections and answers nothing.
// Whoever promotes its standby kills it.
func (f *failover) hangPrimary(ctx context.Context, lost *member) (func() error, error) {
	err := errors.Join(lost.signal(syscall.SIGSTOP), pause(ctx, f.between(0, 3*time.Second)))
	return func() error { lost.kill(); return nil }, err
}

// cutOffPrimary cuts the primary off from everything. It runs on, and learns that it was replaced
// when it is killed.
func (f *failover) cutOffPrimary(ctx context.Context, lost *member) (func() error, error) {
	for name, r := range f.relays {
		if strings.HasSuffix(name, " to "+lost.name) || name == lost.name+" to its standby" {
			r.set(relaySilent)
		}
	}
	return func() error { lost.kill(); return nil }, pause(ctx, f.between(0, 3*time.Second))
}

// killAlonePrimary cuts the primary off from its standby, for longer than a statement may take, and
// kills it then: nothing that it confirms meanwhile may be missing on the standby.
func (f *failover) killAlonePrimary(ctx context.Context, lost *member) (func() error, error) {
	f.relays[lost.name+" to its standby"].set(relaySilent)
	err := pause(ctx, f.between(2*time.Second, 13*time.Second))
	f.add(countKills, 1)
	lost.kill()
	return nil, err
}

// stopPrimary stops the primary in order, as for its maintenance.
func (f *failover) stopPrimary(_ context.Context, lost *member) (func() error, error) {
	return nil, lost.shutDown()
}

// cutReplication cuts the primary off from its standby for a while, so that commits wait.
func (f *failover) cutReplication(ctx context.Context) error {
	r := f.relays[f.pair.members[f.pair.primary].name+" to its standby"]
	return errors.Join(f.cut(ctx, r, f.between(time.Second, 13*time.Second)), f.pair.awaitSynchronous(ctx))
}

// cutFrom cuts one process off from an engine for a while.
func (f *failover) cutFrom(ctx context.Context, engine string) error {
	s := f.services[f.randomBelow(len(f.services))]
	return f.cut(ctx, f.relays[s.name+" to "+engine], f.between(time.Second, 6*time.Second))
}

// cut makes a network silent, or refuses connections, for a while.
func (f *failover) cut(ctx context.Context, r *relay, d time.Duration) error {
	r.set([]relayState{relaySilent, relayRefused}[f.randomBelow(2)])
	err := pause(ctx, d)
	r.set(relayOpen)
	return err
}

// stopProcess stops a process for a while and lets it continue as if nothing had happened.
func (f *failover) stopProcess(ctx context.Context) error {
	p := f.services[f.randomBelow(len(f.services))].process().Cmd.Process
	err := errors.Join(p.Signal(syscall.SIGSTOP), pause(ctx, f.between(time.Second, 7*time.Second)))
	return errors.Join(err, p.Signal(syscall.SIGCONT))
}

// killProcess kills a process. A supervisor starts it again.
func (f *failover) killProcess(ctx context.Context) error {
	s := f.services[f.randomBelow(len(f.services))]
	s.process().Kill()
	f.add(countKills, 1)
	return errors.Join(s.start(), s.awaitReady(ctx))
}

// moveDatabaseClock moves the clock of one server of the database by minutes, forward or back, and
// after a while where it was.
func (f *failover) moveDatabaseClock(ctx context.Context) error {
	if clockLibrary() == "" {
		f.add("clocks not moved: libfaketime is missing", 1)
		return nil
	}
	m := f.pair.members[f.randomBelow(2)]
	ahead := f.between(time.Minute, 10*time.Minute) * time.Duration(1-2*f.randomBelow(2))
	err := errors.Join(m.moveClock(ahead), pause(ctx, 6*time.Second))
	return errors.Join(err, m.moveClock(0), pause(ctx, 2*time.Second))
}

// awaitWrites waits until each server writes again. It reports a server that takes too long after a
// promotion; the time of the promotion is zero if there was none.
func (f *failover) awaitWrites(ctx context.Context, promoted time.Time) error {
	errs := make([]error, len(f.servers))
	var asking sync.WaitGroup
	for i, s := range f.servers {
		asking.Go(func() {
			c := f.editors[0].at(s, false)
			errs[i] = awaitCondition(ctx, time.Minute, s.name+" writes again", func() (bool, error) {
				return c.writes(ctx, f.probeSpace), nil
			})
			if promoted.IsZero() {
				return
			}
			took := time.Since(promoted)
			f.recordMax("longest ms from a promotion to a write", int(took.Milliseconds()))
			if took > f.limits.back {
				f.addViolation("%s wrote again %v after the promotion", s.name, took.Round(time.Millisecond))
			}
		})
	}
	asking.Wait()
	return errors.Join(errs...)
}

// writes reports whether the server confirms a write.
func (c *client) writes(ctx context.Context, spaceID string) bool {
	got, err := c.once(ctx, "POST", c.url+"/v1/spaces/"+spaceID+"/entities", c.header(), []byte(`{"entity_id":"probe","entity_data":{}}`))
	return err == nil && got.status < 300
}
