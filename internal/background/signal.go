package background

import (
	"context"
	"time"
)

// Signal sends a signal to a channel with a buffer of one, unless the last signal has not been
// received yet. It never blocks.
func Signal(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// Pause waits for the duration or the end of ctx.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
