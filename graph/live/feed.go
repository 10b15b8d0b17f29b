package live

import (
	"context"
	"time"

	"portico/db"
	"portico/model"
)

// feed is the source of a subscription. Whenever something may have changed, it compares the state
// that all subscriptions share with the state that its reader has. Announcements have no state: a
// lost, late or repeated one costs a read, but never causes a wrong response. One goroutine calls
// both methods.
//
// The state of a feed is what its reader has received, and not what was sent to it: only
// markDelivered moves it on. So a reader that reconnects or is slow misses no final state.
type feed[T any] interface {
	// read returns the items that the reader does not have, in order. more reports whether
	// there are others, which the next read returns. CodeNotFound and CodeForbidden end the feed;
	// after other errors it is read again.
	read(ctx context.Context) (unknown []T, more bool, err error)
	// markDelivered records that the reader has received the next item of the last read, and
	// reports whether it was the last item of the feed.
	markDelivered(item T) (last bool)
}

const (
	// pollInterval is how often a feed is read without a signal, and the time until a read of
	// the database that failed is repeated. The polls of package db are as frequent.
	pollInterval = db.PollInterval
	// moreInterval is the time until the next read when there are more items.
	moreInterval = 20 * time.Millisecond
	// feedBatch is the maximum number of items of one read.
	feedBatch = 100
	// feedBytes limits the JSON and texts of one read, in bytes; the last item may exceed
	// it. A feed keeps them in memory until its reader has received them.
	feedBytes = 256 << 10
)

// subscribe sends the items of the feed, and counts the subscription. It calls cancel when the
// feed ends.
func subscribe[T any](ctx context.Context, e *engine, changes <-chan struct{}, f feed[T], cancel func()) <-chan T {
	e.open.Add(1)
	return startFeed(ctx, e, changes, f, func() {
		cancel()
		e.open.Add(-1)
	})
}

// startFeed sends the items of the feed, and reads the feed again whenever it may have changed.
// When the feed or ctx ends, it calls ended. A slow reader gets the state at the time when it
// reads, and misses the states in between.
//
// It starts one goroutine, which closes the channel: the reader sees the end of the feed there.
func startFeed[T any](ctx context.Context, e *engine, changes <-chan struct{}, f feed[T], ended func()) <-chan T {
	items := make(chan T)
	go func() {
		defer close(items)
		defer ended()
		ticker := time.NewTicker(pollInterval)
		defer ticker.Stop()
		feedSender[T]{f, changes, ticker.C, items}.run(ctx, e)
	}()
	return items
}

// feedSender sends the items of a feed to its reader.
type feedSender[T any] struct {
	feed    feed[T]
	changes <-chan struct{}
	polls   <-chan time.Time
	items   chan<- T
}

// run reads the feed and offers its items until the feed or ctx ends.
//
// The first read happens at once. Every read that fails because of the database is repeated, so a
// restart of Postgres ends no subscription.
func (f feedSender[T]) run(ctx context.Context, e *engine) {
	isFailing := false
	defer func() { e.failures.end(isFailing) }()
	for {
		unknown, more, err := f.feed.read(ctx)
		switch code := model.CodeOf(err); {
		case ctx.Err() != nil, code == model.CodeNotFound, code == model.CodeForbidden:
			return
		case err != nil: // the database is unavailable: the next poll reads again
			unknown, more = nil, false
		}
		isFailing = e.failures.update(e.log, isFailing, err)
		if !f.offer(ctx, unknown, more) {
			return
		}
	}
}

// offer sends the items one after the other. When something changes, it drops the items that the
// reader has not received, because they may be outdated. It returns true when the feed must be read
// again, and false at its end. It offers one item at a time on a channel without a buffer, so the
// reader's own speed decides.
func (f feedSender[T]) offer(ctx context.Context, items []T, more bool) bool {
	for _, item := range items {
		select {
		case <-ctx.Done():
			return false
		case f.items <- item:
			if f.feed.markDelivered(item) {
				return false
			}
		case <-f.changes:
			return true
		case <-f.polls:
			return true
		}
	}
	var again <-chan time.Time // nil blocks forever
	if more {
		again = time.After(moreInterval)
	}
	select {
	case <-ctx.Done():
		return false
	case <-f.changes:
	case <-f.polls:
	case <-again:
	}
	return true
}

// stateFeed is the feed of one object: its current state, then every new state.
//
// If the state changes from A to B and back before the reader receives B, it gets nothing: it has
// A.
type stateFeed[T any] struct {
	load    func(ctx context.Context) (T, error)
	equal   func(a, b T) bool // whether two states are equal for the reader
	isFinal func(T) bool      // whether no state can follow
	sent    *T                // the state that the reader has
}

var _ feed[any] = (*stateFeed[any])(nil)

func (s *stateFeed[T]) read(ctx context.Context) ([]T, bool, error) { //nolint:unparam // feed requires the result
	current, err := s.load(ctx)
	if err != nil || (s.sent != nil && s.equal(*s.sent, current)) {
		return nil, false, err
	}
	return []T{current}, false, nil
}

func (s *stateFeed[T]) markDelivered(now T) bool {
	s.sent = &now
	return s.isFinal(now)
}
