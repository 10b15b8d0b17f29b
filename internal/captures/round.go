package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// clean is how much time on processors a whole capture takes, by the names of tasks.
type clean map[string]time.Duration

// measure runs the tasks on a whole capture, which must be read, three times each:
// the one in the middle counts.
func (r runner) measure(ctx context.Context, c capture) (clean, error) {
	folder := filepath.Join(r.folder, "whole")
	if err := store(folder, c.files); err != nil {
		return nil, err
	}
	took := clean{}
	for _, t := range tasks(c) {
		var times []time.Duration
		for range 3 {
			o, err := r.run(ctx, t, filepath.Join(folder, c.primary))
			if err != nil {
				return nil, err
			}
			// There is no picture of a mesh.
			if o.broken != "" || o.fault != "" && (c.gaussians || t.name == "inspect") {
				return nil, fmt.Errorf("%s of %s, which is whole: %s%s", t.name, c.name, o.broken, o.fault)
			}
			times = append(times, o.cpu)
		}
		slices.Sort(times)
		took[t.name] = times[len(times)/2]
	}
	return took, os.RemoveAll(folder)
}

// round is one broken capture and what became of it.
type round struct {
	// number and capture make it again, with the seed.
	number  uint64
	capture string
	// did says how the capture was broken.
	did []string
	// faults counts the tasks that told of a fault and did well, of all.
	faults, tasks int
	// peak is the most memory that a task had, in bytes.
	peak int64
	// ratio is the most times of the clean time that a task took.
	ratio float64
	// broken says what must not be, by the task; empty where all is well.
	broken []string
	// kept is where the files of a round that failed are.
	kept string
}

// round breaks a capture and runs the tasks on it. Files of one that ended as it must
// are removed.
func (r runner) round(ctx context.Context, number uint64, m *mutator, c capture, took clean) (done round, err error) {
	folder, err := os.MkdirTemp(r.folder, fmt.Sprintf("broken-%d-*", number))
	if err != nil {
		return done, err
	}
	done = round{number: number, capture: c.name}
	files := m.mutate(c)
	done.did = m.did
	if err := store(folder, files); err != nil {
		return done, err
	}
	for _, t := range tasks(c) {
		o, err := r.timed(ctx, t, filepath.Join(folder, c.primary), took[t.name])
		if err != nil {
			return done, err
		}
		done.add(t, o, took[t.name])
	}
	if len(done.broken) > 0 {
		done.kept = folder
		return done, nil
	}
	return done, os.RemoveAll(folder)
}

// timed runs a task, and once more where it took too long: other programs of the
// machine make it slower too.
func (r runner) timed(ctx context.Context, t task, in string, whole time.Duration) (outcome, error) {
	most := slower*whole + slack
	o, err := r.run(ctx, t, in)
	if err != nil || o.cpu <= most {
		return o, err
	}
	again, err := r.run(ctx, t, in)
	if again.broken == "" && again.cpu > most {
		again.broken = fmt.Sprintf("it took %v, and %v for the whole capture", again.cpu, whole)
	}
	return again, err
}

// add counts the outcome of a task.
func (r *round) add(t task, o outcome, whole time.Duration) {
	r.tasks++
	switch {
	case o.broken != "":
		r.broken = append(r.broken, t.name+": "+o.broken)
	case o.fault != "":
		r.faults++
	}
	r.peak = max(r.peak, o.peak)
	r.ratio = max(r.ratio, float64(o.cpu)/float64(max(whole, time.Millisecond)))
}
