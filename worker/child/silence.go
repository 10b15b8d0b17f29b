package child

import (
	"context"
	"sync"
	"time"
)

// silence measures how long a child has printed nothing while it could have worked: a hung
// child is stopped, and a child that the machine gives no processor time is waited for. Neither
// the time counts in which the child waited for a processor, nor the time in which this process
// was held up as well, such as on a machine that was suspended.
type silence struct {
	limit time.Duration

	mu      sync.Mutex
	counted time.Duration
	// waited is how long the child has waited for a processor since its start.
	waited time.Duration
}

// checksInLimit is the number of checks within the limit of a silence.
const checksInLimit = 30

// interval is the time between two checks.
func (s *silence) interval() time.Duration { return max(s.limit/checksInLimit, time.Millisecond) }

// end ends the silence: the child has printed a line.
func (s *silence) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted = 0
}

// add counts the time since the check before, given how long the child has waited for a
// processor in all. It reports whether the silence has reached its limit.
func (s *silence) add(elapsed, waited time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A check comes late if this process was held up too. The sum of the threads that there
	// are falls when one of them ends.
	counted := min(elapsed, 2*s.interval()) - max(0, waited-s.waited)
	s.counted, s.waited = s.counted+max(0, counted), waited
	return s.counted >= s.limit
}

// watch calls stop once if the silence reaches its limit before ctx ends. waited returns how
// long the child has waited for a processor.
func (s *silence) watch(ctx context.Context, waited func() time.Duration, stop func()) {
	ticker := time.NewTicker(s.interval())
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		if s.add(now.Sub(last), waited()) {
			stop()
			return
		}
		last = now
	}
}
