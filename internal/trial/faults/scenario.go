package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// scenario is one kind of fault.
type scenario struct {
	name string
	// act breaks things and tells the tally what it did and found. Its error is
	// trouble that kept it from going on.
	act func(ctx context.Context, w *world, runs int) error
	// share is what part of the runs it makes, as one of so many; 0 where it
	// makes none.
	share int
	// limit ends a scenario that hangs.
	limit time.Duration
}

// scenarios returns all of them, in the order in which they are played.
func scenarios() []scenario {
	return []scenario{
		{"publish", playPublish, 1, 40 * time.Minute},
		{"publish-s3", playPublishS3, 2, 20 * time.Minute},
		{"postgres", playPostgres, 2, 15 * time.Minute},
		{"s3", playS3, 2, 20 * time.Minute},
		{"redis", playRedis, 0, 5 * time.Minute},
		{"disk", playDisk, 0, 10 * time.Minute},
	}
}

// choose returns the scenarios with these names, in their own order; all for
// none.
func choose(all []scenario, names []string) ([]scenario, error) {
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
		return all, nil
	}
	return slices.DeleteFunc(all, func(s scenario) bool { return !slices.Contains(names, s.name) }), nil
}

// errSkipped is the end of a scenario that this machine cannot play.
type errSkipped struct{ why string }

// Error says why.
func (e errSkipped) Error() string { return "skipped: " + e.why }

// play makes a world, plays in it and takes it down again.
func (s scenario) play(ctx context.Context, at *stage, runs int) *tally {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	t := newTally(s.name)
	if s.share > 0 {
		runs = max(runs/s.share, 1)
	}
	w, err := newWorld(ctx, at, s.name, t)
	if err == nil {
		err = errors.Join(s.act(ctx, w, runs), w.close())
	}
	var skipped errSkipped
	switch {
	case errors.As(err, &skipped):
		t.skipped = skipped.why
	case err != nil:
		t.complain("%v", err)
	}
	t.took = time.Since(began)
	return t
}
