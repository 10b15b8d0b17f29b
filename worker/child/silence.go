package child

import (
	"context"
	"sync"
	"time"
)

// silence measures how long a child has printed nothing while it could have worked. A hung
// child is stopped, but a child that only gets no processor time is not. Therefore silence does not
// count the time in which the child waited for a processor, or in which this process did not run
// either, for example because the machine was suspended.
//
// reset is called by the goroutine of the output, and add by the goroutine of watch.
type silence struct {
	limit time.Duration

	mu sync.Mutex
	// counted is the time without output that counts.
	counted time.Duration
	// waited is how long the child has waited for a processor since its start.
	waited time.Duration
}

// checksInLimit is the number of checks in the time of the limit.
const checksInLimit = 30

// interval is the time between two checks.
func (s *silence) interval() time.Duration { return max(s.limit/checksInLimit, time.Millisecond) }

// reset starts the measurement again, because the child has printed a line.
func (s *silence) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted = 0
}

// add counts the time since the previous check. waited is how long the child has waited for a
// processor since its start. It reports whether the silence has reached its limit.
func (s *silence) add(elapsed, waited time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A check that comes much too late means that this process did not run either. waited is a
	// sum over the running threads, so it falls when a thread ends.
	counted := min(elapsed, 2*s.interval()) - max(0, waited-s.waited)
	s.counted, s.waited = s.counted+max(0, counted), waited
	return s.counted >= s.limit
}

// watch calls stop once if the silence reaches its limit before ctx ends. waited returns how
// long the child has waited for a processor since its start.
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
