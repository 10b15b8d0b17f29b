package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"portico/internal/background"
	"portico/server/connection"
	"portico/server/observe"
)

// The time limits of a stop. Each step also gets no more time than is left of stopTimeout.
const (
	// stopTimeout limits the whole stop, until Close returns. Only a private Postgres may take 5 s
	// more, because it is ended by force then. A test compares the sum with the time after which
	// the service files in docs/deploy kill the process.
	stopTimeout = 35 * time.Second
	// drainTimeout limits the time in which requests finish and, in parallel, jobs return to the
	// queue.
	drainTimeout = 15 * time.Second
	// countsTimeout limits the store of the last counts: it may first wait for a store that runs.
	countsTimeout = 2 * observe.DatabaseTimeout
	// closeTimeout limits each step of Close that takes no context, except the database, so that a
	// step that hangs leaves time for the steps after it.
	closeTimeout = 5 * time.Second
)

// stopContext returns the context of one step of the stop. It ends after limit, and at the latest
// at the deadline of the whole stop. The first call sets this deadline.
func (p *Program) stopContext(limit time.Duration) (context.Context, context.CancelFunc) {
	p.stopStarted.Do(func() { p.stopDeadline = time.Now().Add(stopTimeout) })
	deadline := time.Now().Add(limit)
	if deadline.After(p.stopDeadline) {
		deadline = p.stopDeadline
	}
	return context.WithDeadline(context.Background(), deadline)
}

// stopServing stops accepting requests, ends the streams and waits for the other requests. After
// drainTimeout it cuts off the remaining requests. That is not an error, because the client of an
// upload can continue or repeat it.
//
// The order: no new requests, then the end of streams, whose clients connect to another replica,
// then the wait. The last counts are stored after the last request.
func (p *Program) stopServing(server *http.Server, streams *connection.Streams, storeLastCounts func(context.Context)) {
	draining, cancel := p.stopContext(drainTimeout)
	defer cancel()
	streams.Stop()
	err := server.Shutdown(draining)
	if err == nil {
		// Shutdown does not wait for connections that became sockets.
		err = streams.Wait(draining)
	}
	if err != nil {
		p.Logger.Warn("requests were cut off", "error", err)
		_ = server.Close() // the timeout of the remaining requests is over
	}
	storing, cancel := p.stopContext(countsTimeout)
	defer cancel()
	storeLastCounts(storing)
}

// stopWorker stops the worker, whose method Stop it gets, and returns its running jobs to the
// queue. Failing to do so is not an error, because other workers claim the jobs when their
// heartbeats stop. After drainTimeout it no longer waits for a worker that hangs, such as on a
// database that does not answer.
func (p *Program) stopWorker(stop func(context.Context) error) {
	ctx, cancel := p.stopContext(drainTimeout)
	defer cancel()
	if err := background.Within(ctx, func() error { return stop(ctx) }); err != nil {
		p.Logger.Warn("stop the worker", "error", err)
	}
}

// Close closes everything that is open, in the opposite order of its opening. Call it even if Open
// fails. It returns at the deadline of the stop, even if a step hangs.
//
// So whatever reads the database ends before it: the check of /readyz, the reads for subscriptions,
// and the checks of keys and sessions. Only a scrape of /metrics may come later. The database closes
// before its private Postgres stops, and gets time to store what it has: change times and
// announcements.
func (p *Program) Close() error {
	ctx, cancel := p.stopContext(stopTimeout)
	defer cancel()
	var errs []error
	for _, closer := range slices.Backward(p.closers) {
		errs = append(errs, closer(ctx))
	}
	return errors.Join(errs...)
}

// onCloseWithContext adds a function that Close calls. It must return soon after its context ends,
// because Close waits for it. Whatever opens something that needs closing calls onCloseWithContext
// or onClose when it is open.
func (p *Program) onCloseWithContext(closer func(context.Context) error) {
	p.closers = append(p.closers, closer)
}

// onClose is onCloseWithContext for a function that takes no context. Close waits closeTimeout for
// it, and then returns an error with the name of what does not close.
func (p *Program) onClose(name string, closer func() error) {
	p.onCloseWithContext(func(ctx context.Context) error { return closeWithin(ctx, closeTimeout, name, closer) })
}

// closeDatabase calls closer, which stores what the database has not stored yet. That takes up to
// 20 s with a slow Postgres: two writes of change times and two announcements of 5 s each. So it
// may use all the time that is left, except closeTimeout for the private Postgres, but at least
// half.
func closeDatabase(ctx context.Context, closer func() error) error {
	deadline, _ := ctx.Deadline() // Close sets one
	left := time.Until(deadline)
	return closeWithin(ctx, max(left-closeTimeout, left/2), "database", closer)
}

// closeWithin calls closer and waits for it until limit or the end of ctx. Then it returns an error
// with the name of what does not close.
func closeWithin(ctx context.Context, limit time.Duration, name string, closer func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := background.Within(ctx, closer)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("close the %s: %w", name, err)
	}
	return err
}
