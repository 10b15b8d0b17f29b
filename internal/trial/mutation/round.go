package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// cleanTimes holds the CPU time of a valid capture by the name of the task.
type cleanTimes map[string]time.Duration

// measureAll returns the times of all captures by name. It measures several at once, which
// changes CPU times little.
func (r runner) measureAll(ctx context.Context, all []capture, parallel int) (map[string]cleanTimes, error) {
	var mu sync.Mutex // protects times, errs and next
	times, errs, next := map[string]cleanTimes{}, []error(nil), 0
	// take returns the next capture, and false if there are no more or one has failed.
	take := func() (capture, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) || len(errs) > 0 {
			return capture{}, false
		}
		next++
		return all[next-1], true
	}
	runInParallel(parallel, func() {
		for c, ok := take(); ok; c, ok = take() {
			one, err := r.measure(ctx, c)
			mu.Lock()
			if times[c.name] = one; err != nil {
				errs = append(errs, err)
			}
			mu.Unlock()
		}
	})
	return times, errors.Join(errs...)
}

// measure runs each task on a valid capture and returns the times. It returns an error if the
// program does not read the capture.
func (r runner) measure(ctx context.Context, c capture) (cleanTimes, error) {
	folder, err := os.MkdirTemp(r.folder, "whole-*")
	if err != nil {
		return nil, err
	}
	if err := store(folder, c.files); err != nil {
		return nil, err
	}
	times := cleanTimes{}
	all := slices.Concat(tasks(c), writers(c))
	// The first task runs twice, because its first run also reads the program from the disk.
	// More runs of each task would take most of the time limit on a busy machine, and
	// runWithin repeats a task that seems slow.
	for _, t := range append(all[:1:1], all...) {
		o, err := r.run(ctx, t, filepath.Join(folder, c.primary))
		if err != nil {
			return nil, err
		}
		// Meshes have no poster.
		if o.failure != "" || o.fault != "" && (c.gaussians || t.name == "inspect") {
			return nil, fmt.Errorf("%s of the valid capture %s: %s%s", t.name, c.name, o.failure, o.fault)
		}
		times[t.name] = o.cpu
	}
	return times, os.RemoveAll(folder)
}

// round is a mutated capture with the outcomes of its tasks.
type round struct {
	// number and the seed reproduce the round.
	number  uint64
	capture string
	// changes describes the mutations of the round, for the report of a failure.
	changes []string
	// faults counts the tasks that refused the file, tasks all tasks.
	faults, tasks int
	// peakMemory is the maximum memory of a task in bytes.
	peakMemory int64
	// ratio is the maximum ratio of a task's time to the clean time.
	ratio float64
	// failures lists the failures by task.
	failures []string
	// folder holds the files of a failed round.
	folder string
}

// round mutates a capture and runs the tasks on it. It removes the files unless a task
// fails.
//
// The files of a round that failed stay in its folder, which the report names, so that they can
// become a test.
func (r runner) round(ctx context.Context, number uint64, m *mutator, c capture, times cleanTimes) (done round, err error) {
	folder, err := os.MkdirTemp(r.folder, fmt.Sprintf("broken-%d-*", number))
	if err != nil {
		return done, err
	}
	done = round{number: number, capture: c.name}
	files := m.mutate(c)
	done.changes = m.changes
	if err := store(folder, files); err != nil {
		return done, err
	}
	for _, t := range slices.Concat(tasks(c), writer(c, number)) {
		o, err := r.runWithin(ctx, t, filepath.Join(folder, c.primary), times[t.name])
		if err != nil {
			return done, err
		}
		done.add(t, o, times[t.name])
	}
	if len(done.failures) > 0 {
		done.folder = folder
		return done, nil
	}
	return done, os.RemoveAll(folder)
}

// runWithin runs a task, and runs it again if it took too long, because other programs on
// the machine can slow it down.
func (r runner) runWithin(ctx context.Context, t task, in string, whole time.Duration) (outcome, error) {
	limit := maxSlowdown*whole + slack
	o, err := r.run(ctx, t, in)
	if err != nil || o.cpu <= limit {
		return o, err
	}
	again, err := r.run(ctx, t, in)
	if again.failure == "" && again.cpu > limit {
		again.failure = fmt.Sprintf("it took %v, but %v for the valid capture", again.cpu, whole)
	}
	return again, err
}

func (r *round) add(t task, o outcome, whole time.Duration) {
	r.tasks++
	switch {
	case o.failure != "":
		r.failures = append(r.failures, t.name+": "+o.failure)
	case o.fault != "":
		r.faults++
	}
	r.peakMemory = max(r.peakMemory, o.peakMemory)
	r.ratio = max(r.ratio, float64(o.cpu)/float64(max(whole, time.Millisecond)))
}
