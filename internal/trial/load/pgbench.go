package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// pgbench is the contender without a server of ours: PostgreSQL's own program sends the
// statement.
type pgbench struct {
	world   *world
	title   string
	program string
	url     *url.URL
}

// newPgbench returns a contender unless PostgreSQL came without pgbench.
func newPgbench(w *world, name string) (*pgbench, bool) {
	program := filepath.Join(w.programs, "pgbench")
	if _, err := os.Stat(program); err != nil {
		fmt.Fprintf(os.Stderr, "load: %s is left out: %v\n", name, err)
		return nil, false
	}
	address, err := url.Parse(w.url)
	if err != nil {
		fmt.Fprintf(os.Stderr, "load: %s is left out: %v\n", name, err)
		return nil, false
	}
	return &pgbench{world: w, title: name, program: program, url: address}, true
}

// name implements contender.
func (p *pgbench) name() string { return p.title }

// peak implements contender. A backend of Postgres serves each connection, so there is no
// one process to look at.
func (p *pgbench) peak() (int64, error) { return 0, nil }

// deletesPerSecond is the number of entities that a round of delete gets for each second:
// more than any machine of ours has deleted.
const deletesPerSecond = 20_000

// round implements contender.
//
// pgbench runs as a program, so what it does is known from its log and from the table: newSample
// has the latencies of its log, and verify counts the entities that are there.
func (p *pgbench) round(ctx context.Context, op operation, connections int, duration time.Duration) (result sample, err error) {
	folder, err := os.MkdirTemp(p.world.cluster.Folder, "pgbench-")
	if err != nil {
		return sample{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "script.sql")
	if err := os.WriteFile(file, []byte(script(p.world, op)), 0o600); err != nil {
		return sample{}, err
	}
	// pgbench has one script for the whole run, so each client deletes a range of its own.
	if op == opDelete {
		// A delete cannot be repeated: pgbench gets a number of transactions instead of a
		// time.
		each := int(duration.Seconds()*deletesPerSecond) / connections / 4
		if err := p.seed(ctx, connections, each); err != nil {
			return sample{}, err
		}
		result, err = p.run(ctx, folder, "-t", strconv.Itoa(each), "-c", strconv.Itoa(connections), "-f", file)
	} else {
		result, err = p.runFor(ctx, folder, duration, "-c", strconv.Itoa(connections), "-f", file)
	}
	if err != nil {
		return sample{}, err
	}
	return result, p.verify(ctx, op, result)
}

// seed adds the entities that each client deletes.
func (p *pgbench) seed(ctx context.Context, connections, each int) error {
	for client := range connections {
		if err := p.world.addEntities(ctx, p.world.exec, p.world.work, firstOfPgbench+client*1_000_000+1, each); err != nil {
			return err
		}
	}
	return nil
}

// verify counts the entities that a change has changed.
func (p *pgbench) verify(ctx context.Context, op operation, result sample) error {
	left, err := p.world.count(ctx, firstOfPgbench)
	want := 0
	if op == opCreate {
		want = len(result.latencies)
	}
	if err == nil && left != want {
		err = fmt.Errorf("%s %s: %d entities are there, want %d", p.title, op, left, want)
	}
	if op != opCreate || err != nil {
		return err
	}
	return p.world.exec(ctx, "DELETE FROM entities WHERE space_id = $1 AND entity_id >= $2", p.world.work, entityID(firstOfPgbench))
}

// errNothingDone is the error of a run that ended before all clients had connected:
// connecting counts in pgbench's time, and not in its rate.
var errNothingDone = errors.New("pgbench did nothing in its time")

// runFor runs the program for about this duration, and for longer while connecting takes
// all of it.
func (p *pgbench) runFor(ctx context.Context, folder string, duration time.Duration, args ...string) (s sample, err error) {
	for seconds := int(duration.Seconds()) + 1; seconds < 60; seconds *= 2 {
		s, err = p.run(ctx, folder, append([]string{"-T", strconv.Itoa(seconds)}, args...)...)
		if !errors.Is(err, errNothingDone) {
			break
		}
	}
	return s, err
}

// run runs the program, which writes the latency of each transaction into the
// folder.
func (p *pgbench) run(ctx context.Context, folder string, args ...string) (sample, error) {
	// Over the socket of Postgres, as Portico connects to a private one.
	password, _ := p.url.User.Password()
	// simple sends the text each time and has it planned again; prepared is what Portico
	// does.
	mode := strings.TrimPrefix(p.title, "pgbench-")
	cmd := exec.CommandContext(ctx, p.program, append(args, "-n", "-M", mode, "-j", "2", "-D", "n=0", "-l",
		"-h", path.Dir(p.url.Path), "-p", strings.TrimPrefix(path.Ext(p.url.Path), "."), "-U", p.url.User.Username(), p.url.Host)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	before, err := cpuOfTree(p.world.postmaster)
	if err != nil {
		return sample{}, err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", p.title, err, out)
	}
	// The postmaster takes over the time of a backend when it has waited for it.
	time.Sleep(200 * time.Millisecond)
	after, err := cpuOfTree(p.world.postmaster)
	if err != nil {
		return sample{}, err
	}
	rate, err := parseRate(string(out))
	if err != nil {
		return sample{}, err
	}
	latencies, err := readLatencies(folder)
	if err != nil {
		return sample{}, err
	}
	// pgbench's own rate leaves out the time to connect, which its clock does not.
	elapsed := time.Duration(float64(len(latencies)) / rate * float64(time.Second))
	client := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return newSample(latencies, elapsed, costs{database: after - before, client: client})
}
