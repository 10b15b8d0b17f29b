package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// options are the command line.
type options struct {
	// runs is how many captures are broken, from the one with the number first on.
	runs, first uint64
	// seed and a run's number decide where its capture is broken.
	seed uint64
	// size is how large the captures are, in hundreds of Gaussians.
	size int
	// parallel is how many runs are made at a time. What is measured is the time on
	// processors, so that it changes little.
	parallel int
}

func main() {
	var o options
	flag.Uint64Var(&o.runs, "runs", 1000, "captures to break")
	flag.Uint64Var(&o.first, "first", 0, "number of the first one")
	flag.Uint64Var(&o.seed, "seed", 1, "what decides where they are broken")
	flag.IntVar(&o.size, "size", 20, "hundreds of Gaussians in a capture")
	flag.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "runs at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "captures:", err)
		os.Exit(1)
	}
}

// errFailed is the end of a command whose report says more.
var errFailed = errors.New("not every run ended as it must")

// run builds the program, breaks captures and reports. Of its temporary folder only
// what failed is left.
func run(ctx context.Context, o options) (err error) {
	folder, err := os.MkdirTemp("", "portico-captures-*")
	if err != nil {
		return err
	}
	failed := false // what failed is kept, for a test
	defer func() {
		if !failed {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	r := runner{binary: filepath.Join(folder, "portico"), folder: folder}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", r.binary, "./cmd/portico").CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	all, err := captures(ctx, o.size)
	if err != nil {
		return err
	}
	// First, so that a program that cannot read what is whole breaks nothing.
	took := map[string]clean{}
	for _, c := range all {
		if took[c.name], err = r.measure(ctx, c); err != nil {
			return err
		}
	}
	rounds, err := r.rounds(ctx, o, all, took)
	if failed = report(os.Stdout, all, rounds); failed {
		err = errors.Join(err, errFailed, os.Remove(r.binary))
	}
	return err
}

// rounds breaks the captures in turn. What goes wrong with us ends no other round;
// the end of ctx ends all.
func (r runner) rounds(ctx context.Context, o options, all []capture, took map[string]clean) ([]round, error) {
	var mu sync.Mutex
	var done []round
	var errs []error
	next, workers := o.first, sync.WaitGroup{}
	// take hands out the number of the next run; false when there are no more.
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
				one, err := r.round(ctx, number, newMutator(o.seed, number), c, took[c.name])
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
