package storage

import (
	"context"
	"fmt"
	"io"
	"path"
	"sync"
)

// Batch stores the many objects of one change faster than Store.Put. All methods may be
// called concurrently.
type Batch interface {
	// Put is Store.Put, except that the object may get lost with the machine's power until
	// Commit has returned nil. It is whole or not there.
	Put(ctx context.Context, key string, r io.Reader) (size int64, err error)
	// Commit returns when all objects of Put are stored safely. Call it before anything
	// refers to one of them. After an error none of them may be referred to.
	Commit() error
}

// batching is a Store with batches of its own.
type batching interface{ Batch() Batch }

// NewBatch returns a batch of the store.
func NewBatch(store Store) Batch {
	if s, ok := store.(batching); ok {
		return s.Batch()
	}
	return plainBatch{store}
}

// plainBatch is a batch of a store that has none.
type plainBatch struct{ store Store }

// Put implements Batch.
func (b plainBatch) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	return b.store.Put(ctx, key, r)
}

// Commit implements Batch.
func (plainBatch) Commit() error { return nil }

// Batch returns a batch that syncs each folder once, not once for each object in it and
// below. The bytes of each object are synced before it gets its name, as in Put: it may
// replace an object that was confirmed.
func (d *Disk) Batch() Batch {
	return &diskBatch{disk: d, sync: d.syncFolder, folders: map[string]struct{}{}}
}

// diskBatch is a batch of a Disk.
type diskBatch struct {
	disk *Disk
	sync func(folder string) error

	mu      sync.Mutex
	folders map[string]struct{} // with new names since the last Commit
}

// Put implements Batch.
func (b *diskBatch) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := CheckKey(key); err != nil {
		return 0, err
	}
	size, err := b.disk.put(ctx, r, func(in *incoming) error {
		name := objectName(key)
		if err := b.disk.moveInto(b.disk.root.Rename, in.name, name); err != nil {
			return fmt.Errorf("place object: %w", full(err))
		}
		b.changed(path.Dir(name))
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", key, err)
	}
	return size, nil
}

// changed notes a folder, and its parents, which may be new too.
func (b *diskBatch) changed(folder string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; ; folder = path.Dir(folder) {
		if _, ok := b.folders[folder]; ok {
			return // and so are its parents
		}
		b.folders[folder] = struct{}{}
		if folder == "." {
			return
		}
	}
}

// Commit implements Batch.
func (b *diskBatch) Commit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for folder := range b.folders {
		if err := b.sync(folder); err != nil {
			return err
		}
	}
	clear(b.folders)
	return nil
}
