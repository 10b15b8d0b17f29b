package worker

import (
	"sync"
	"time"
)

const (
	// stepThreshold is the minimum difference that counts as a step. Time services
	// correct a clock by less.
	stepThreshold = time.Minute
	// distrustPeriod is how long a clock must stay ahead before it is trusted. It is
	// longer than the periods that the purge waits for by the machine's clock, so that
	// what was stored before the step is kept for its full time.
	distrustPeriod = 25 * time.Hour
)

// steadyClock is the clock of the purge. It follows the machine's clock, but ignores a
// step forward for distrustPeriod: a machine whose clock jumps must not purge early.
// It follows a step back immediately, since this only delays the purge. The zero value is
// ready to use, and safe for concurrent use.
type steadyClock struct {
	mu         sync.Mutex
	start      time.Time     // uptimes count from here
	trusted    time.Time     // the last time that was trusted
	trustedAt  time.Duration // the uptime at trusted
	ahead      bool
	aheadSince time.Duration // the uptime at the step forward
}

// now returns the time of the machine's clock, or the expected time while that clock is not
// trusted.
func (c *steadyClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.start.IsZero() {
		c.start = now
	}
	// Sub uses the monotonic clock, which nobody can set. Round strips it.
	return c.at(now.Round(0), now.Sub(c.start))
}

// at returns the result of now, given the machine's clock and the time since the first call of now.
// The caller holds mu.
func (c *steadyClock) at(wall time.Time, uptime time.Duration) time.Time {
	expected := c.trusted.Add(uptime - c.trustedAt)
	ahead := !c.trusted.IsZero() && wall.After(expected.Add(stepThreshold))
	if ahead && !c.ahead {
		c.aheadSince = uptime
	}
	c.ahead = ahead && uptime-c.aheadSince < distrustPeriod
	if c.ahead {
		return expected
	}
	c.trusted, c.trustedAt = wall, uptime
	return wall
}
