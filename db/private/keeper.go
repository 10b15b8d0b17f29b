package private

import (
	"context"
	"time"
)

const (
	// lockInterval is how often an adopter looks whether the owner has gone:
	// the longest that its queries fail in vain before it starts the server.
	lockInterval = 50 * time.Millisecond
	// retryInterval is the pause after a server that would not start again.
	retryInterval = time.Second
)

// keep starts the server again whenever nobody runs it, until ctx ends.
func (c *Cluster) keep(ctx context.Context) {
	defer close(c.kept)
	for c.lost(ctx) {
		c.options.Logger.Info("private postgres has gone, starting it", "dir", c.place.dir)
		if err := c.own(ctx); err != nil && ctx.Err() == nil {
			c.options.Logger.Error("private postgres does not start", "error", err)
			pause(ctx, retryInterval)
		}
	}
}

// lost waits until nobody runs the server and this process holds the lock. It
// reports false when ctx ended first.
func (c *Cluster) lost(ctx context.Context) bool {
	if c.server == nil {
		return poll(ctx, lockInterval, c.lock.try) == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-c.server.done:
		c.server = nil
		return ctx.Err() == nil
	}
}

// poll calls try, at once and then at every interval, until it is done.
func poll(ctx context.Context, interval time.Duration, try func() (bool, error)) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
