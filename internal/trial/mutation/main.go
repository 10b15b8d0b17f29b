package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"portico/internal/testkit/command"
	"portico/internal/testkit/program"
)

// options are the command line.
type options struct {
	// runs is the number of runs, and first the number of the first run.
	runs, first uint64
	// seed and a run's number determine the mutations.
	seed uint64
	// size is the size of the captures in hundreds of Gaussians.
	size int
	// parallel is the number of concurrent runs. The measured times do not depend on it much,
	// because they are CPU times.
	parallel int
	// limit is the time after which no further run starts. Zero means no limit.
	limit time.Duration
}

// main runs the program on the mutated captures that the command line selects.
func main() { command.Main("mutation", parseOptions, run) }

// parseOptions parses the command line.
func parseOptions(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("mutation", flag.ContinueOnError)
	set.Uint64Var(&o.runs, "runs", 1000, "number of runs")
	set.Uint64Var(&o.first, "first", 0, "number of the first run")
	set.Uint64Var(&o.seed, "seed", 1, "seed of the mutations")
	set.IntVar(&o.size, "size", 20, "size of a capture in hundreds of Gaussians")
	set.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "number of concurrent runs")
	set.DurationVar(&o.limit, "limit", 0, "time after which no further run starts, as in 10m; 0 for no limit")
	return o, set.Parse(args)
}

// errFailed is the error of a command whose report lists failed runs.
var errFailed = errors.New("some runs failed")

// run builds the program, runs it on mutated captures and prints a report. It removes its
// temporary folder unless a run failed.
func run(ctx context.Context, o options) (err error) {
	started := time.Now()
	folder, err := os.MkdirTemp("", "portico-mutation-*")
	if err != nil {
		return err
	}
	failed := false
	defer func() {
		if !failed {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	r := runner{folder: folder}
	if r.binary, err = program.Build(ctx, program.BuildOptions{}); err != nil {
		return err
	}
	all, err := captures(ctx, o.size)
	if err != nil {
		return err
	}
	if r.valid, err = storeValid(folder, all); err != nil {
		return err
	}
	// Measure first, so that a program that fails on valid captures stops the command.
	times, err := r.measureAll(ctx, all, o.parallel)
	if err != nil {
		return err
	}
	due := time.Time{}
	if o.limit > 0 {
		due = started.Add(o.limit)
	}
	rounds, err := r.rounds(ctx, o, due, all, times)
	if failed = report(os.Stdout, all, rounds); failed {
		err = errors.Join(err, errFailed)
	}
	return errors.Join(err, checkLimit(os.Stdout, o, all, rounds))
}

// storeValid stores the capture that damaged ones are merged with, and returns its path.
func storeValid(at string, all []capture) (string, error) {
	i := slices.IndexFunc(all, func(c capture) bool { return c.name == "plain.splat" })
	if i < 0 {
		return "", errors.New("no capture is called plain.splat")
	}
	return filepath.Join(at, all[i].primary), store(at, all[i].files)
}

// checkLimit says how many runs there were if the limit stopped the command before the last. It
// returns an error if a capture had none at all.
func checkLimit(w io.Writer, o options, all []capture, rounds []round) error {
	if uint64(len(rounds)) >= o.runs {
		return nil
	}
	_, _ = fmt.Fprintf(w, "\n%d of %d runs in %v; -first %d continues\n", len(rounds), o.runs, o.limit, o.first+uint64(len(rounds)))
	if len(rounds) < min(len(all), int(o.runs)) {
		return fmt.Errorf("only %d runs of %d captures: the machine is too slow for the limit of %v", len(rounds), len(all), o.limit)
	}
	return nil
}

// rounds runs the rounds, with the captures in turn. An error of one round does not stop
// the others; the end of ctx does. After due, unless it is zero, no round starts.
//
// A run's number selects the capture, and with the seed the mutations, so a run gives the same
// again whatever number of runs is concurrent. mu protects the next number and what is returned.
func (r runner) rounds(ctx context.Context, o options, due time.Time, all []capture, times map[string]cleanTimes) ([]round, error) {
	var mu sync.Mutex
	var done []round
	var errs []error
	next := o.first
	// take returns the number of the next run, and false if there are no more.
	take := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= o.first+o.runs || ctx.Err() != nil || !due.IsZero() && time.Now().After(due) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	runInParallel(o.parallel, func() {
		for number, ok := take(); ok; number, ok = take() {
			c := all[number%uint64(len(all))]
			one, err := r.round(ctx, number, newMutator(o.seed, number), c, times[c.name])
			mu.Lock()
			if err != nil {
				errs = append(errs, fmt.Errorf("run %d: %w", number, err))
			} else {
				done = append(done, one)
			}
			mu.Unlock()
		}
	})
	return done, errors.Join(errs...)
}

// runInParallel calls the function n times concurrently and returns when all calls have returned.
func runInParallel(n int, call func()) {
	var workers sync.WaitGroup
	for range n {
		workers.Go(call)
	}
	workers.Wait()
}
