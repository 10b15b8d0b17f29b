package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

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
}

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
	return o, set.Parse(args)
}

// errFailed is the error of a command whose report lists failed runs.
var errFailed = errors.New("some runs failed")

// run builds the program, runs it on mutated captures and prints a report. It removes its
// temporary folder unless a run failed.
func run(ctx context.Context, o options) (err error) {
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
	// Measure first, so that a program that fails on valid captures stops the command.
	times := map[string]cleanTimes{}
	for _, c := range all {
		if times[c.name], err = r.measure(ctx, c); err != nil {
			return err
		}
	}
	rounds, err := r.rounds(ctx, o, all, times)
	if failed = report(os.Stdout, all, rounds); failed {
		err = errors.Join(err, errFailed)
	}
	return err
}

// rounds runs the rounds, with the captures in turn. An error of one round does not stop
// the others; the end of ctx does.
func (r runner) rounds(ctx context.Context, o options, all []capture, times map[string]cleanTimes) ([]round, error) {
	var mu sync.Mutex
	var done []round
	var errs []error
	next, workers := o.first, sync.WaitGroup{}
	// take returns the number of the next run, and false if there are no more.
	take := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= o.first+o.runs && ctx.Err() == nil
	}
	for range o.parallel {
		workers.Go(func() {
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
	}
	workers.Wait()
	return done, errors.Join(errs...)
}
