package graph

import (
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// readFailures logs that reads for subscriptions fail. While the database is unavailable, thousands
// of values and feeds are read again and again, so it logs the first failure and the recovery of
// the last reader only. The zero value is ready.
type readFailures struct {
	mu      sync.Mutex
	failing int // how many readers, of values and of feeds, have failed since their last success
}

// update records the result of a read, and reports whether its reader fails now. wasFailing is what
// update returned after the previous read by this reader; false before the first one.
func (f *readFailures) update(log *slog.Logger, wasFailing bool, err error) (isFailing bool) {
	isFailing = err != nil
	if isFailing == wasFailing {
		return isFailing
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if isFailing {
		if f.failing++; f.failing == 1 {
			log.Warn("read for a subscription failed; other failures are not logged before the recovery", "error", err)
		}
	} else if f.failing--; f.failing == 0 {
		log.Info("no read for a subscription fails any more")
	}
	return isFailing
}

// retryInterval returns the time until a read that failed is repeated: pollInterval on average. It
// differs from value to value, so that the values are not all read at the same moment, also when
// the database is available again.
func retryInterval() time.Duration {
	return pollInterval/2 + rand.N(pollInterval) //nolint:gosec // spreads load, no secret
}
