package background

import (
	"log/slog"
	"sync"
)

// OutageLog logs the first failure and the recovery of work that a loop repeats. While the database
// is unavailable such work fails every few seconds, and a line each time would hide other messages.
// The zero value is ready. Any goroutine may use it at any time.
type OutageLog struct {
	mu      sync.Mutex
	failing bool
}

// Record records the result of the work. It logs the message failed, with err, if the previous
// result was a success or there was none, and recovered at the first success after a failure.
func (o *OutageLog) Record(log *slog.Logger, err error, failed, recovered string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	wasFailing := o.failing
	o.failing = err != nil
	switch {
	case o.failing && !wasFailing:
		log.Warn(failed, "error", err)
	case wasFailing && !o.failing:
		log.Info(recovered)
	}
}
