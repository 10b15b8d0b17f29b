package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"portico/splat/archive"
)

// The times of reports.
const (
	// minInterval is the minimum time between two: at most 4 writes a second for a
	// job, whatever the work does.
	minInterval = 250 * time.Millisecond
	// maxInterval is the maximum. A report is how an attempt learns that its job was
	// canceled, even while the work makes no progress.
	maxInterval = time.Second
)

// errLost says that the job was canceled or is another attempt's by now.
var errLost = errors.New("the job is not this attempt's any more")

// reporter stores how far an attempt has come, beside the work, which never
// waits for it. It is used once.
type reporter struct {
	// store keeps a report and says whether the job is still the attempt's.
	store func(ctx context.Context, percent float64, message string) (current bool, err error)
	// cancel is called with errLost when it is not.
	cancel context.CancelCauseFunc
	log    *slog.Logger

	end  context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	percent float64
	message func() string // writes the message only when it is sent
	fresh   bool          // there is something that was not sent
}

// start reports until stop is called or ctx ends.
func (r *reporter) start(ctx context.Context) {
	ctx, r.end = context.WithCancel(outOfTrace(ctx))
	r.done = make(chan struct{})
	go r.run(ctx)
}

// stop returns when the last report is through. It may be called again.
func (r *reporter) stop() {
	r.end()
	<-r.done
}

// set says how far the work has come. Percentages never fall.
func (r *reporter) set(percent float64, message func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.percent, r.message, r.fresh = max(r.percent, percent), message, true
}

// take returns what is to be sent, if anything is: by force what was sent
// before, once there was something.
func (r *reporter) take(force bool) (percent float64, message string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.message == nil || !r.fresh && !force {
		return 0, "", false
	}
	r.fresh = false
	return r.percent, r.message(), true
}

func (r *reporter) run(ctx context.Context) {
	defer close(r.done)
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(minInterval):
		}
		percent, message, ok := r.take(time.Since(last) >= maxInterval)
		if !ok {
			continue
		}
		last = time.Now()
		if !r.send(ctx, percent, message) {
			return
		}
	}
}

// send stores a report and reports whether to go on. One that cannot be stored
// does not end the work: what counts is the result, and storing that asks again
// whose the job is.
func (r *reporter) send(ctx context.Context, percent float64, message string) bool {
	// A statement that was begun is not left half-way: its connection would go.
	current, err := r.store(context.WithoutCancel(ctx), percent, message)
	if err != nil {
		r.log.Warn("report progress", "error", err)
		return true
	}
	if !current {
		r.cancel(errLost)
	}
	return current
}

// The shares of a job's progress that its steps take, in percent.
const (
	checkedAt = 2.0  // the archive's directory is read
	storedAt  = 99.0 // all files are in place

	// Those of a conversion. A child's own percentages fill what is between the
	// last two.
	openedAt    = 5.0  // the archive's directory is read
	preparedAt  = 20.0 // what is converted lies on this machine
	convertedAt = 95.0 // so does the result
)

// share returns the progress at done of total between two percentages.
func share(from, to float64, done, total int64) float64 {
	if total <= 0 {
		return to
	}
	return from + (to-from)*float64(done)/float64(total)
}

// steps reports the steps of an extraction under a title.
func (a *attempt) steps(title string, from, to float64) archive.Progress {
	return func(s archive.Step) {
		message := func() string { return fmt.Sprintf("%s: %d of %d files", title, s.FilesDone, s.Files) }
		a.progress.set(share(from, to, s.BytesDone, s.Bytes), message)
	}
}

// copying reports how much of a file was copied to this machine.
func (a *attempt) copying(from, to float64) fetched {
	return func(done, total int64) {
		message := func() string { return fmt.Sprintf("Reading file: %s of %s", formatBytes(done), formatBytes(total)) }
		a.progress.set(share(from, to, done, total), message)
	}
}

// converting reports what a child says.
func (a *attempt) converting(from, to float64) func(percent float64, message string) {
	return func(percent float64, message string) {
		a.progress.set(from+(to-from)*percent/100, func() string { return "Converting: " + message })
	}
}

// storing reports how much of a result is in the store.
func (a *attempt) storing(from, to float64) func(filesDone, files int, bytesDone, bytes int64) {
	return func(filesDone, files int, bytesDone, bytes int64) {
		message := func() string { return fmt.Sprintf("Storing the result: %d of %d files", filesDone, files) }
		a.progress.set(share(from, to, bytesDone, bytes), message)
	}
}
