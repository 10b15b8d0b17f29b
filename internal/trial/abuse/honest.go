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

// honest is a user who works as people do: writes something, reads it again,
// looks at a list. Each must be answered, and rightly.
type honest struct {
	client *client
	space  string
	pace   time.Duration

	cancel context.CancelFunc
	ended  chan error
	took   []time.Duration // owned by the goroutine until ended
}

// startHonest starts a user's work, which goes on for so many rounds, or with 0
// until stop.
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

func (h *honest) work(ctx context.Context, rounds int) error {
	ticker := time.NewTicker(h.pace)
	defer ticker.Stop()
	for round := 0; rounds == 0 || round < rounds; round++ {
		// A request that has begun is finished: its end is the server's.
		if err := h.round(context.WithoutCancel(ctx), round); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
	return nil
}

// round makes one request, and checks its answer.
func (h *honest) round(ctx context.Context, round int) error {
	began := time.Now()
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
	h.took = append(h.took, time.Since(began))
	if err != nil {
		return fmt.Errorf("request %d of the honest user, after %v: %w", round, time.Since(began), err)
	}
	return nil
}

func (h *honest) stop() { h.cancel() }

// wait waits for the end of the work; the figures may be read after it.
func (h *honest) wait() error {
	err := <-h.ended
	h.cancel()
	h.client.close()
	if err == nil && len(h.took) == 0 {
		return errors.New("the honest user got no answer")
	}
	slices.Sort(h.took)
	return err
}

func (h *honest) count() int { return len(h.took) }

// percentile returns what so many of a hundred requests did not exceed.
func (h *honest) percentile(p int) time.Duration { return percentile(h.took, p) }

// percentile is of sorted durations, of which there is at least one.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}
