package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The honest user's time between requests; with limits on, the requests of a minute stay
// below 300.
const (
	pace        = 20 * time.Millisecond
	limitedPace = 250 * time.Millisecond
)

// minRounds is the least work of a user. The median of fewer requests is chance.
const minRounds = 12

// honest is a user who works as people do: writes an entity, reads it again, lists
// spaces. Every response must come and be right.
type honest struct {
	client *client
	space  string
	pace   time.Duration

	cancel context.CancelFunc
	ended  chan error
	took   []time.Duration // owned by the goroutine until ended
}

// startHonest starts a user's work for a number of rounds, or with 0 until stop, but for at least
// minRounds. A pace is the time between the starts of two requests.
func startHonest(ctx context.Context, s *server, u user, pace time.Duration, rounds int) (*honest, error) {
	h := &honest{client: newClient(s, u.key), pace: pace, ended: make(chan error, 1)}
	var err error
	if h.space, err = h.client.createSpace(ctx, "Private"); err != nil {
		return nil, err
	}
	ctx, h.cancel = context.WithCancel(ctx)
	go func() { h.ended <- h.work(ctx, rounds) }()
	return h, nil
}

// work sends a request in each round until ctx ends, and returns the first error.
func (h *honest) work(ctx context.Context, rounds int) error {
	ticker := time.NewTicker(h.pace)
	defer ticker.Stop()
	for round := 0; rounds == 0 || round < rounds; round++ {
		// A request is not interrupted, because its duration is the server's.
		if err := h.round(context.WithoutCancel(ctx), round); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if round+1 >= minRounds {
				return nil
			}
			<-ticker.C
		case <-ticker.C:
		}
	}
	return nil
}

// round sends one request and checks its response.
func (h *honest) round(ctx context.Context, round int) error {
	start := time.Now()
	var err error
	switch round % 3 {
	case 0:
		err = h.client.putEntity(ctx, h.space, round, "")
	case 1:
		var revision int
		revision, err = h.client.revision(ctx, h.space)
		if err == nil && revision != round-1 {
			err = fmt.Errorf("an entity has revision %d, want %d", revision, round-1)
		}
	default:
		err = h.client.listSpaces(ctx)
	}
	h.took = append(h.took, time.Since(start))
	if err != nil {
		return fmt.Errorf("request %d of the honest user, after %v: %w", round, time.Since(start), err)
	}
	return nil
}

// stop ends the work after the current request. Call wait after it.
func (h *honest) stop() { h.cancel() }

// wait waits for the end of the work. The figures may be read after it.
func (h *honest) wait() error {
	err := <-h.ended
	h.cancel()
	h.client.close()
	if err == nil && len(h.took) == 0 {
		return errors.New("the honest user got no response")
	}
	slices.Sort(h.took)
	return err
}

// count returns the number of responses. Call it after wait.
func (h *honest) count() int { return len(h.took) }

// percentile returns the duration that p of a hundred requests do not exceed.
func (h *honest) percentile(p int) time.Duration { return percentile(h.took, p) }

// percentile returns a percentile of at least one sorted duration.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
