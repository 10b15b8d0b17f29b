package live

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/internal/background"
)

// maxConcurrentReads is the maximum number of reads for subscriptions at the same time. It leaves
// database connections for requests: one change wakes thousands of subscriptions.
const maxConcurrentReads = 8

// engine reads the database for all subscriptions of the process.
type engine struct {
	db  *db.DB
	log *slog.Logger
	// slots limits how many subscriptions read the database at the same time.
	slots *semaphore.Weighted
	// failures logs the failures of what is read for subscriptions, and of their feeds.
	failures readFailures
	// loops are the goroutines that read. Each ends with its last subscriber, and all end with Close.
	loops background.Group
	// open counts the open subscriptions.
	open atomic.Int64
}

// timedRead reads a value. again is the time until the next read without a signal; 0 for none.
// pause is how long no other read starts, whatever the signals.
type timedRead func(ctx context.Context) (again, pause time.Duration, err error)

// readWhenever calls read whenever the topic may have changed: after each signal of db.Watch, after
// each wake, and after the time again that the last read returned. A read that failed is repeated
// after retryInterval. It returns when ctx ends.
func (e *engine) readWhenever(ctx context.Context, topic db.Topic, wake <-chan struct{}, read timedRead) {
	e.repeatRead(ctx, e.db.Watch(ctx, topic), wake, read)
}

// repeatRead calls read after each signal of changes and wake, as readWhenever says.
//
// A signal that arrives during a read causes another read, so the last change is never missed. Many
// changes within minReadInterval, or within the pause after a read, cause one.
func (e *engine) repeatRead(ctx context.Context, changes, wake <-chan struct{}, read timedRead) {
	isFailing := false
	defer func() { e.failures.end(isFailing) }()
	for {
		next := time.Now().Add(minReadInterval)
		again, pause, err := read(ctx)
		if ctx.Err() != nil {
			return
		}
		paused := time.After(max(pause, time.Until(next)))
		isFailing = e.failures.update(e.log, isFailing, err)
		if isFailing { // the database is unavailable
			again = retryInterval()
		}
		var repeat <-chan time.Time // nil blocks forever
		if again > 0 {
			repeat = time.After(again)
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
		case <-wake:
		case <-repeat:
		}
		select {
		case <-ctx.Done():
			return
		case <-paused:
		}
	}
}
