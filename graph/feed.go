package graph

import (
	"context"
	"log/slog"
	"time"

	"portico/model"
)

// feed is what a subscription tells of. What happened is found by reading again
// whenever something may have, and comparing with what the reader was told.
// Announcements carry no state: one that is lost, late or twice costs a read,
// never a wrong answer. One goroutine calls both methods.
type feed[T any] interface {
	// read returns what the reader does not have yet, in order. more says that
	// there is something else, which can be read soon. CodeNotFound and
	// CodeForbidden end the feed; after other errors it is read again.
	read(ctx context.Context) (unknown []T, more bool, err error)
	// told notes that the reader has the item, the first one of what was read
	// last that it did not have, and reports whether nothing comes after it.
	told(item T) (last bool)
}

const (
	// recheck is how often a feed is read without being told to: what a lost
	// announcement costs at most.
	recheck = 5 * time.Second
	// soon is when a feed is read again that had more than it could return.
	soon = 20 * time.Millisecond
	// feedBatch bounds what one read returns, in items.
	feedBatch = 100
	// feedBytes bounds what one read returns, in bytes of the JSON and texts of
	// clients, but for those of the last item. A feed holds it until its reader has taken it.
	feedBytes = 256 << 10
)

// subscribe follows the feed, which is read when it is its turn.
func subscribe[T any](ctx context.Context, r *Resolver, changes <-chan struct{}, f feed[T]) <-chan T {
	r.subscriptions.Add(1)
	return follow(ctx, r.Logger, changes, &turned[T]{&r.turns, f}, func() { r.subscriptions.Add(-1) })
}

// follow sends what is in the feed, and again whenever there is a signal that it
// may have changed, until the feed or ctx ends, which it tells. A slow reader gets
// what is true when it reads, not each state that was.
func follow[T any](ctx context.Context, log *slog.Logger, changes <-chan struct{}, f feed[T], ended func()) <-chan T {
	out := make(chan T)
	go func() {
		defer close(out)
		defer ended()
		tick := time.NewTicker(recheck)
		defer tick.Stop()
		follower[T]{f, changes, tick.C, out}.run(ctx, log)
	}()
	return out
}

// follower brings what is in a feed to its reader.
type follower[T any] struct {
	feed    feed[T]
	changes <-chan struct{}
	tick    <-chan time.Time
	out     chan<- T
}

// run reads, offers what it read, and begins again when that may have changed.
func (f follower[T]) run(ctx context.Context, log *slog.Logger) {
	for {
		unknown, more, err := f.feed.read(ctx)
		switch code := model.CodeOf(err); {
		case ctx.Err() != nil, code == model.CodeNotFound, code == model.CodeForbidden:
			return
		case err != nil: // the database is away: the next tick reads again
			log.Warn("read for a subscription", "error", err)
			unknown, more = nil, false
		}
		if !f.offer(ctx, unknown, more) {
			return
		}
	}
}

// offer hands over one item after the other. A change withdraws what is on
// offer: the reader gets what is true now. It returns when the feed is to be read
// again, or false at the end.
func (f follower[T]) offer(ctx context.Context, items []T, more bool) bool {
	for _, item := range items {
		select {
		case <-ctx.Done():
			return false
		case f.out <- item:
			if f.feed.told(item) {
				return false
			}
		case <-f.changes:
			return true
		case <-f.tick:
			return true
		}
	}
	var again <-chan time.Time // nil, which blocks, where there is nothing more
	if more {
		again = time.After(soon)
	}
	select {
	case <-ctx.Done():
		return false
	case <-f.changes:
	case <-f.tick:
	case <-again:
	}
	return true
}

// state is the feed of one thing: its state now, then each other one.
type state[T any] struct {
	now  func(ctx context.Context) (T, error)
	same func(a, b T) bool // nothing to tell
	last func(T) bool      // nothing comes after
	sent *T                // what the reader has
}

var _ feed[any] = (*state[any])(nil)

func (s *state[T]) read(ctx context.Context) ([]T, bool, error) { //nolint:unparam // as feed asks
	now, err := s.now(ctx)
	if err != nil || (s.sent != nil && s.same(*s.sent, now)) {
		return nil, false, err
	}
	return []T{now}, false, nil
}

func (s *state[T]) told(now T) bool {
	s.sent = &now
	return s.last(now)
}
