package graph

import (
	"context"
	"sync"
)

// readers is how many subscriptions of the process read at a time: fewer than there
// are connections to the database, so that thousands of them, woken by one change,
// do not keep requests waiting.
const readers = 8

// turns lets subscriptions read one after the other. The zero value is ready.
type turns struct {
	once sync.Once
	free chan struct{}
}

// take waits for a turn, which ends when the function that it returns is called.
func (t *turns) take(ctx context.Context) (end func(), err error) {
	t.once.Do(func() { t.free = make(chan struct{}, readers) })
	select {
	case t.free <- struct{}{}:
		return func() { <-t.free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// turned is a feed that is read when it is its turn.
type turned[T any] struct {
	turns *turns
	feed[T]
}

var _ feed[any] = (*turned[any])(nil)

// read implements feed.
func (f *turned[T]) read(ctx context.Context) (unknown []T, more bool, err error) {
	end, err := f.turns.take(ctx)
	if err != nil {
		return nil, false, err
	}
	defer end()
	return f.feed.read(ctx)
}
