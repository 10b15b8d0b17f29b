package worker

import (
	"sync"
	"time"
)

const (
	// stepped is from where on a difference is a clock that was put forward: what
	// keeps a clock right moves it by less.
	stepped = time.Minute
	// believed is how long a clock must have been ahead until it is right. It is
	// longer than what the purge waits for, so that everything that was written down
	// before the step gets its time.
	believed = 25 * time.Hour
)

// steadyClock is the clock of the purge: the machine's, but one that is put forward
// is not followed for a day. Until then it goes on as before, so a machine whose
// clock jumps, and a database on it, forget nothing early. One that is put back is
// followed at once: that only forgets later. The zero value is ready.
type steadyClock struct {
	mu      sync.Mutex
	began   time.Time     // what running counts from
	wall    time.Time     // what the clock said last while it was believed
	running time.Duration // when it said so
	ahead   bool
	since   time.Duration // when it was first found to be ahead
}

// now returns what time it is.
func (c *steadyClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.began.IsZero() {
		c.began = now
	}
	// The difference comes from the monotonic clock, which nobody can put forward.
	return c.at(now.Round(0), now.Sub(c.began))
}

// at returns what time it is when the machine's clock says wall, so long after the
// first call.
func (c *steadyClock) at(wall time.Time, running time.Duration) time.Time {
	expected := c.wall.Add(running - c.running)
	ahead := !c.wall.IsZero() && wall.After(expected.Add(stepped))
	if ahead && !c.ahead {
		c.since = running
	}
	c.ahead = ahead && running-c.since < believed
	if c.ahead {
		return expected
	}
	c.wall, c.running = wall, running
	return wall
}
