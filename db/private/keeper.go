package private

import (
	"context"
	"time"

	"portico/internal/background"
)

const (
	// lockInterval is the interval at which an adopter checks for the owner's end. It
	// is the maximum time between the end and the restart of the server.
	lockInterval = 50 * time.Millisecond
	// retryInterval is the pause after a failed restart.
	retryInterval = time.Second
)

// keep starts the server again whenever no process runs it, until ctx ends.
func (c *Cluster) keep(ctx context.Context) {
	for c.waitUntilLost(ctx) {
		c.options.Logger.Info("private postgres has stopped, starting it", "dir", c.location.folder)
		if err := c.becomeOwner(ctx); err != nil && ctx.Err() == nil {
			c.options.Logger.Error("private postgres cannot be started", "error", err)
			background.Pause(ctx, retryInterval)
		}
	}
}

// waitUntilLost waits until no process runs the server and this process holds the server's
// lock. It returns false if ctx ends first.
//
// It tries the lock again after an error. Otherwise nobody would start the server after its owner's
// end.
func (c *Cluster) waitUntilLost(ctx context.Context) bool {
	for c.server == nil {
		err := poll(ctx, lockInterval, c.serverLock.try)
		if err == nil || ctx.Err() != nil {
			return err == nil
		}
		c.options.Logger.Error("lock of the private postgres cannot be tried", "error", err)
		background.Pause(ctx, retryInterval)
	}
	select {
	case <-ctx.Done():
		return false
	case <-c.server.done:
		c.server = nil
		return ctx.Err() == nil
	}
}

// poll calls try immediately and then at every interval, until it returns true or an
// error.
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
