package live

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"portico/db"
	"portico/internal/background"
	"portico/model"
)

// sharedReads reads each value once for all subscriptions of the process to it. The topic
// of a value identifies it. The zero value is ready.
type sharedReads[T any] struct {
	mu      sync.Mutex
	byTopic map[db.Topic]*sharedRead[T]
}

// sharedRead is one value, which is read at each announcement of its topic. Subscribers compare the
// newest value with the state that their reader has, and never change the value.
//
// The life of a value: the first subscriber starts one goroutine (readWhenever), which alone calls
// load. Each announcement, each new subscriber, and each change that a poll of package db finds
// cause a read. After a read all subscribers get a signal. The end of the last subscriber ends the
// goroutine.
//
// mu guards the fields below it and is not held during load.
type sharedRead[T any] struct {
	topic db.Topic
	load  loader[T]
	stop  context.CancelFunc
	wake  chan struct{} // receives a signal when a subscriber waits for its first read

	mu          sync.Mutex
	subscribers map[*readSubscriber[T]]struct{}
	waiting     []*readSubscriber[T] // the subscribers that wait for their first read
	value       T
	err         error // CodeNotFound or CodeForbidden: there is no longer a value
}

// loader reads a value from the database. before is the value of the last read. again is the time
// until the next read without a signal; 0 for none.
type loader[T any] func(ctx context.Context, before T) (value T, again time.Duration, err error)

// readSubscriber is one subscription to a sharedRead.
type readSubscriber[T any] struct {
	read    *sharedRead[T]
	joined  chan struct{} // closed after the first read that starts after the subscriber was added
	changes chan struct{} // receives a signal after each read
}

// subscribe adds a subscriber, and removes it when ctx ends. The first subscriber starts the reads
// of the value, and the end of the last one stops them.
//
// The lock of sharedReads is held for both, so a value that is ending gets no new subscriber.
func (s *sharedReads[T]) subscribe(ctx context.Context, e *engine, topic db.Topic, load loader[T]) *readSubscriber[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := s.byTopic[topic]
	if read == nil {
		read = newSharedRead(e, topic, load)
		if s.byTopic == nil {
			s.byTopic = map[db.Topic]*sharedRead[T]{}
		}
		s.byTopic[topic] = read
	}
	subscriber := &readSubscriber[T]{read: read, joined: make(chan struct{}), changes: make(chan struct{}, 1)}
	read.add(subscriber)
	context.AfterFunc(ctx, func() { s.unsubscribe(subscriber) })
	return subscriber
}

func (s *sharedReads[T]) unsubscribe(subscriber *readSubscriber[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if subscriber.read.remove(subscriber) == 0 {
		subscriber.read.stop()
		delete(s.byTopic, subscriber.read.topic)
	}
}

func newSharedRead[T any](e *engine, topic db.Topic, load loader[T]) *sharedRead[T] {
	s := &sharedRead[T]{
		topic: topic, load: load,
		wake: make(chan struct{}, 1), subscribers: map[*readSubscriber[T]]struct{}{},
	}
	read := func(ctx context.Context) (again, pause time.Duration, err error) { return s.read(ctx, e.slots) }
	s.stop, _ = e.loops.Go(func(ctx context.Context) { e.readWhenever(ctx, topic, s.wake, read) })
	return s
}

// read waits for a slot and updates the value. pause grows with the duration of the update, so that
// an account with very many rows, which changes all the time, does not keep a slot for itself.
func (s *sharedRead[T]) read(ctx context.Context, slots *semaphore.Weighted) (again, pause time.Duration, err error) {
	if err := slots.Acquire(ctx, 1); err != nil {
		return 0, 0, err
	}
	defer slots.Release(1)
	start := time.Now()
	again, err = s.update(ctx)
	return again, min(readPauseFactor*time.Since(start), maxReadPause), err
}

// add adds a subscriber, and requests a read that starts now, so that the first state of the
// subscriber has everything that was committed before.
func (s *sharedRead[T]) add(subscriber *readSubscriber[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers[subscriber] = struct{}{}
	s.waiting = append(s.waiting, subscriber)
	background.Signal(s.wake)
}

// remove removes a subscriber and returns the number of the others.
func (s *sharedRead[T]) remove(subscriber *readSubscriber[T]) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subscribers, subscriber)
	return len(s.subscribers)
}

// update reads the value and signals the subscribers.
//
// A subscriber that joins during load waits for the next read, because this one may have missed
// what was committed before it joined. After an error the subscribers keep waiting.
func (s *sharedRead[T]) update(ctx context.Context) (again time.Duration, err error) {
	s.mu.Lock()
	waiting, value, load := s.waiting, s.value, s.load
	s.waiting = nil
	select {
	case <-s.wake: // this read is for all subscribers that wait
	default:
	}
	s.mu.Unlock()
	value, again, err = load(ctx, value)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch code := model.CodeOf(err); {
	case err == nil:
		s.value, s.err = value, nil
	case code == model.CodeNotFound, code == model.CodeForbidden:
		s.err = err
	default:
		s.waiting = append(waiting, s.waiting...)
		return 0, err
	}
	for _, subscriber := range waiting {
		close(subscriber.joined)
	}
	for subscriber := range s.subscribers {
		background.Signal(subscriber.changes)
	}
	return again, nil
}

// value returns the newest value.
func (s *readSubscriber[T]) value(ctx context.Context) (value T, err error) {
	select {
	case <-s.joined:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	s.read.mu.Lock()
	defer s.read.mu.Unlock()
	return s.read.value, s.read.err
}

const (
	// minReadInterval is the minimum time between the starts of two reads of a value.
	minReadInterval = 10 * time.Millisecond
	// readPauseFactor times the duration of a read is the pause after it, so that the reads of a value
	// take at most a fifth of the time of a slot.
	readPauseFactor = 4
	// maxReadPause is the maximum for values that take long to read.
	maxReadPause = 5 * time.Second
)
