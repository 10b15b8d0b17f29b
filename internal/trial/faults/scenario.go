package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// scenario is one kind of fault, with the work during which it happens.
type scenario struct {
	name string
	// inject breaks things and counts in the tally what it did and found. Its error is
	// the reason that it could not continue.
	inject func(ctx context.Context, w *world, runs int) error
	// share is the divisor of the number of runs, or 0 for a scenario without runs.
	share int
	// limit ends a scenario that hangs.
	limit time.Duration
	// ownDatabase marks a scenario that starts its database itself.
	ownDatabase bool
	// named marks a scenario that runs only if it is named, because it takes an hour.
	named bool
}

// scenarios returns all of them, in the order in which they run.
func scenarios() []scenario {
	return []scenario{
		{name: "publish", inject: runKills, share: 1, limit: 40 * time.Minute},
		{name: "publish-s3", inject: runKillsOverS3, share: 2, limit: 20 * time.Minute},
		{name: "postgres", inject: runPostgres, share: 2, limit: 15 * time.Minute},
		{name: "s3", inject: runS3, share: 2, limit: 20 * time.Minute},
		{name: "redis", inject: runRedis, limit: 5 * time.Minute},
		{name: "disk", inject: runDisk, limit: 10 * time.Minute},
		{name: "failover", inject: runFailover, share: 1, limit: 3 * time.Hour, ownDatabase: true, named: true},
	}
}

// selectScenarios returns the scenarios with these names, in their own order, or for no names
// all that need none.
func selectScenarios(all []scenario, names []string) ([]scenario, error) {
	var known []string
	for _, s := range all {
		known = append(known, s.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no scenario is called %q, but %s", name, strings.Join(known, ", "))
		}
	}
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(s scenario) bool { return s.named }), nil
	}
	return slices.DeleteFunc(all, func(s scenario) bool { return !slices.Contains(names, s.name) }), nil
}

// errSkipped is the error of a scenario that this machine cannot run.
type errSkipped struct{ reason string }

// Error says why.
func (e errSkipped) Error() string { return "skipped: " + e.reason }

// run creates a world, injects the faults and closes the world.
//
// Each scenario has a world of its own, so that what one breaks does not count as a fault in
// another. An error is a violation like those that inject has counted, because a scenario that
// could not continue has shown nothing.
func (s scenario) run(ctx context.Context, shared *stage, runs int) *tally {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	t := newTally(s.name)
	if s.share > 0 {
		runs = max(runs/s.share, 1)
	}
	w, err := newWorld(shared, s.name, t)
	if err == nil && !s.ownDatabase {
		err = w.startDatabase(ctx)
	}
	if err == nil {
		err = errors.Join(s.inject(ctx, w, runs), w.close())
	}
	var skipped errSkipped
	switch {
	case errors.As(err, &skipped):
		t.skipped = skipped.reason
	case err != nil:
		t.addViolation("%v", err)
	}
	t.took = time.Since(start)
	return t
}
