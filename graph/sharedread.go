package graph

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"portico/db"
	"portico/model"
)

// sharedReads reads values once for all subscriptions of the process that follow them, by
// the values' topics. The zero value is ready.
type sharedReads[T any] struct {
	mu      sync.Mutex
	byTopic map[db.Topic]*sharedRead[T]
}

// sharedRead is one value, which is read at each announcement of its topic. Followers
// compare the newest value with what their reader has, and never change it.
type sharedRead[T any] struct {
	topic db.Topic
	load  loader[T]
	stop  context.CancelFunc
	wake  chan struct{} // receives a signal when a follower waits for a read

	mu        sync.Mutex
	followers map[*readFollower[T]]struct{}
	joins     []*readFollower[T] // those for which the next read is the first
	value     T
	err       error // CodeNotFound or CodeForbidden: there is no value any more
}

// loader reads a value from the database. It gets the value of the last read. more reports
// that the next one is due soon.
type loader[T any] func(ctx context.Context, before T) (value T, more bool, err error)

// readFollower is one subscription to a sharedRead.
type readFollower[T any] struct {
	read    *sharedRead[T]
	joined  chan struct{} // closed when a read that started after the follower came is done
	changes chan struct{} // receives a signal after each read
}

// follow adds a follower. The value is first read for the first follower and last for the
// last. The follower leaves when ctx ends.
func (s *sharedReads[T]) follow(ctx context.Context, r *Resolver, topic db.Topic, load loader[T]) *readFollower[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := s.byTopic[topic]
	if read == nil {
		read = newSharedRead(r, topic, load)
		if s.byTopic == nil {
			s.byTopic = map[db.Topic]*sharedRead[T]{}
		}
		s.byTopic[topic] = read
	}
	f := &readFollower[T]{read: read, joined: make(chan struct{}), changes: make(chan struct{}, 1)}
	read.add(f)
	context.AfterFunc(ctx, func() { s.leave(f) })
	return f
}

func (s *sharedReads[T]) leave(f *readFollower[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.read.remove(f) == 0 {
		f.read.stop()
		delete(s.byTopic, f.read.topic)
	}
}

func newSharedRead[T any](r *Resolver, topic db.Topic, load loader[T]) *sharedRead[T] {
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // leave calls it, as stop
	s := &sharedRead[T]{
		topic: topic, load: load, stop: cancel,
		wake: make(chan struct{}, 1), followers: map[*readFollower[T]]struct{}{},
	}
	go r.readWhenever(ctx, topic, s.wake, func(ctx context.Context) (bool, error) {
		release, err := r.readSlots.acquire(ctx)
		if err != nil {
			return false, err
		}
		defer release()
		return s.update(ctx)
	})
	return s
}

// add adds a follower, and asks for a read that starts now: the first state that it gets
// has everything that was committed before it came.
func (s *sharedRead[T]) add(f *readFollower[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followers[f] = struct{}{}
	s.joins = append(s.joins, f)
	signal(s.wake)
}

// remove removes a follower and returns how many are left.
func (s *sharedRead[T]) remove(f *readFollower[T]) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.followers, f)
	return len(s.followers)
}

// update reads the value and signals the followers.
func (s *sharedRead[T]) update(ctx context.Context) (more bool, err error) {
	s.mu.Lock()
	joins, value, load := s.joins, s.value, s.load
	s.joins = nil
	select {
	case <-s.wake: // one read serves every follower that has joined
	default:
	}
	s.mu.Unlock()
	value, more, err = load(ctx, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch code := model.CodeOf(err); {
	case err == nil:
		s.value, s.err = value, nil
	case code == model.CodeNotFound, code == model.CodeForbidden:
		s.err = err
	default:
		s.joins = append(joins, s.joins...)
		return false, err
	}
	for _, f := range joins {
		close(f.joined)
	}
	for f := range s.followers {
		signal(f.changes)
	}
	return more, nil
}

// value returns the newest value.
func (f *readFollower[T]) value(ctx context.Context) (value T, err error) {
	select {
	case <-f.joined:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	f.read.mu.Lock()
	defer f.read.mu.Unlock()
	return f.read.value, f.read.err
}

// signal sends a signal unless the last one has not been received yet.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// minReadInterval is the minimum time between the starts of two reads of a value.
const minReadInterval = 10 * time.Millisecond

// readWhenever calls read whenever the topic may have changed: after each announcement and
// each wake, at intervals, and soon where there is more. It returns when ctx ends.
func (r *Resolver) readWhenever(ctx context.Context, topic db.Topic, wake <-chan struct{}, read func(context.Context) (more bool, err error)) {
	changes := r.DB.Watch(ctx, topic)
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		next := time.After(minReadInterval)
		more, err := read(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // the database is away: the next signal reads again
			r.Logger.Warn("read for a subscription", slog.Any("error", err))
		}
		var again <-chan time.Time // nil, which blocks, when everything was read
		if more {
			again = time.After(moreInterval)
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
		case <-wake:
		case <-tick.C:
		case <-again:
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}
