package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// reap kills one service after the other, at random moments, and has it started
// again at once, whether it had come up or not, until ctx ends. Then all run.
func (w *world) reap(ctx context.Context, least, most time.Duration, services ...*service) error {
	for pause(ctx, w.between(least, most)) == nil {
		s := services[w.pick(len(services))]
		s.process().Kill()
		w.add(countKills, 1)
		w.add("kills of "+s.name, 1)
		if err := s.start(); err != nil {
			return err
		}
	}
	return nil
}

// during does one thing for as long as another takes, and returns the errors of
// both.
func during(ctx context.Context, background func(context.Context) error, act func(context.Context) error) error {
	ending, end := context.WithCancel(ctx)
	defer end()
	var aside error
	var running sync.WaitGroup
	running.Go(func() { aside = background(ending) })
	err := act(ctx)
	end()
	running.Wait()
	return errors.Join(err, aside)
}

// unlessOver returns the error of what is done in the background, unless that was
// ended meanwhile.
func unlessOver(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// mostRest is how long a client rests at most before it publishes again.
const mostRest = 2500 * time.Millisecond

// publishMany publishes so many times in all, in turn what there is and in turn
// watched in every way, several at a time. What could not be published is
// complained of; the rest is returned.
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
					err = pause(ctx, w.between(0, mostRest))
				}
				if err != nil {
					w.complain("run %d: %v", number, err)
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

// publishNumber publishes what is next. Each kind of thing meets each way to
// watch.
func (c *client) publishNumber(ctx context.Context, number int) (*published, error) {
	all, err := materials(number)
	if err != nil {
		return nil, err
	}
	ways := watchers()
	return c.publish(ctx, all[number%len(all)], ways[number/len(all)%len(ways)])
}
