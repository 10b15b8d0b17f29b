package storage

import (
	"context"
	"io"
)

// Batch stores the many objects of one change faster than Store.Put. All methods may be
// called concurrently.
type Batch interface {
	// Put is Store.Put, except that the object may be missing until Commit has returned nil, and
	// a loss of power before that may delete it. It is never incomplete.
	Put(ctx context.Context, key string, r io.Reader) (size int64, err error)
	// Commit returns when all objects of Put are stored safely. New objects appear in the order
	// of their Puts. Call Commit before a row refers to one of the objects. After an error, no
	// row may refer to any of them.
	Commit() error
	// Close removes what Put has written and Commit has not stored. Call it at the end, even after
	// an error, when no Put is running.
	Close() error
}

// batcher is a Store with batches of its own.
type batcher interface{ Batch() Batch }

// NewBatch returns a batch of the store's own kind, or one that stores each object immediately.
func NewBatch(store Store) Batch {
	if s, ok := store.(batcher); ok {
		return s.Batch()
	}
	return plainBatch{store}
}

// plainBatch stores each object at once by Store.Put, for a store without batches of its own. So
// Commit and Close have nothing to do.
type plainBatch struct{ store Store }

// Put implements Batch.
func (b plainBatch) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	return b.store.Put(ctx, key, r)
}

// Commit implements Batch.
func (plainBatch) Commit() error { return nil }

// Close implements Batch.
func (plainBatch) Close() error { return nil }
