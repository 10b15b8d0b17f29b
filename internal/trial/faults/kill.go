package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// killRepeatedly kills a random service at random times and restarts it immediately,
// whether it was ready or not, until ctx ends. Then all services run.
//
// A service may be killed while it starts, converts or stores, without a signal that it can handle.
// Its successor or the other services must finish its work.
func (w *world) killRepeatedly(ctx context.Context, shortest, longest time.Duration, services ...*service) error {
	for pause(ctx, w.between(shortest, longest)) == nil {
		s := services[w.randomBelow(len(services))]
		s.process().Kill()
		w.add(countKills, 1)
		w.add("kills of "+s.name, 1)
		if err := s.start(); err != nil {
			return err
		}
	}
	return nil
}

// runDuring runs background for as long as act takes, and returns the errors of both.
func runDuring(ctx context.Context, background func(context.Context) error, act func(context.Context) error) error {
	ending, end := context.WithCancel(ctx)
	defer end()
	var backgroundErr error
	var running sync.WaitGroup
	running.Go(func() { backgroundErr = background(ending) })
	err := act(ctx)
	end()
	running.Wait()
	return errors.Join(err, backgroundErr)
}

// ignoreCanceled returns the error of a background task, or nil if ctx has ended.
func ignoreCanceled(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// maxPause is the longest pause of a client before it publishes again.
const maxPause = 2500 * time.Millisecond

// publishMany publishes this many times in total, with several concurrent clients. The materials
// and the ways to follow a job take turns. It reports what could not be published
// and returns the rest.
func publishMany(ctx context.Context, clients []*client, runs int) []*published {
	w := clients[0].world
	var mu sync.Mutex
	var done []*published
	next := 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= runs && ctx.Err() == nil
	}
	var publishing sync.WaitGroup
	for _, c := range clients {
		publishing.Go(func() {
			for number, ok := take(); ok; number, ok = take() {
				p, err := c.publishNumber(ctx, number)
				if err == nil {
					err = pause(ctx, w.between(0, maxPause))
				}
				if err != nil {
					w.addViolation("run %d: %v", number, err)
					continue
				}
				w.add(countRuns, 1)
				mu.Lock()
				done = append(done, p)
				mu.Unlock()
			}
		})
	}
	publishing.Wait()
	return done
}

// publishNumber publishes the material with a number. Each kind of material meets each
// way to follow a job.
//
// With k kinds of material, the number modulo k selects the material, and the number divided by k
// the way to follow the job: all pairs have come up after k times as many runs as there are ways.
func (c *client) publishNumber(ctx context.Context, number int) (*published, error) {
	all, err := materials(number)
	if err != nil {
		return nil, err
	}
	ways := watchers()
	return c.publish(ctx, all[number%len(all)], ways[number/len(all)%len(ways)])
}
