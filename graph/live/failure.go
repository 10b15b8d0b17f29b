package live

import (
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// failureLogInterval is the minimum time between two logged failures of reads for subscriptions
// without a recovery in between.
const failureLogInterval = 5 * time.Minute

// readFailures logs that reads for subscriptions fail. While the database is unavailable, thousands
// of values and feeds are read again and again, so it logs a failure at most once in
// failureLogInterval, and the recovery of the last reader. It repeats the failure, because the
// reads of one reader may fail for days, and an outage must still be seen. The zero value is ready.
type readFailures struct {
	mu      sync.Mutex
	failing int       // how many readers, of values and of feeds, have failed since their last success
	logged  time.Time // when a failure was logged last; zero before the first one and after a recovery
}

// update records the result of a read, and reports whether its reader fails now. wasFailing is what
// update returned after the previous read by this reader; false before the first one.
func (f *readFailures) update(log *slog.Logger, wasFailing bool, err error) (isFailing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	isFailing = err != nil
	if isFailing && !wasFailing {
		f.failing++
	} else if wasFailing && !isFailing {
		f.failing--
	}
	switch {
	case isFailing && time.Since(f.logged) >= failureLogInterval:
		f.logged = time.Now()
		log.Warn("read for a subscription failed; other failures are not logged for some minutes", "failing", f.failing, "error", err)
	case !isFailing && f.failing == 0 && !f.logged.IsZero():
		f.logged = time.Time{}
		log.Info("no read for a subscription fails any more")
	}
	return isFailing
}

// end records the end of a reader. wasFailing is what update returned last. The end of the last
// reader that fails is not a recovery, because its client may have left during an outage. The next
// read that succeeds is one.
func (f *readFailures) end(wasFailing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if wasFailing {
		f.failing--
	}
}

// retryInterval returns the time until a read that failed is repeated: pollInterval on average. It
// differs from value to value, so that the values are not all read at the same moment, for example
// when the database is available again.
func retryInterval() time.Duration {
	return pollInterval/2 + rand.N(pollInterval) //nolint:gosec // spreads load, no secret
}
