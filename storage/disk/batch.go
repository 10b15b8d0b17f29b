package disk

import (
	"context"
	"fmt"
	"io"
	"path"
	"sync"

	"portico/storage"
)

// Batch returns a batch that writes its objects into a folder of its own, syncs them
// together, and moves them to their keys in Commit. The bytes of an object are synced before
// it gets its name, as in Put: it may replace an object that was confirmed. Each folder is
// synced once, not once for each object in it and below.
//
// After a crash during Commit some of the objects have their keys, each of them complete. No row
// refers to any of them, because the caller writes rows after Commit.
func (d *Store) Batch() storage.Batch {
	return &batch{disk: d, sync: d.syncFolder, folders: map[string]struct{}{}}
}

const (
	// syncedAtOnce is the size in bytes from which Put syncs an object, so that not all of the
	// disk's work remains for Commit.
	syncedAtOnce = 1 << 20
	// writebackMin is the size in bytes from which the disk starts to write an object while Put
	// writes the next one. For thousands of smaller objects, starting each costs more than it
	// saves.
	writebackMin = 64 << 10
	// maxSingleSyncs is the maximum number of objects that Commit syncs one by one. For more
	// objects, it syncs the whole file system, which waits for the disk only once.
	maxSingleSyncs = 64
)

// batch implements storage.Batch. It collects the objects in a staging folder until Commit
// moves them.
type batch struct {
	disk *Store
	sync func(folder string) error

	mu sync.Mutex
	// mu protects all fields below. Put writes without it, so that objects are written
	// concurrently, and Commit holds it.
	staging *staging // nil before the first Put and after Commit
	written []stagedFile
	// compressed are the compressed forms of written objects. Commit moves them last.
	compressed []stagedFile
	folders    map[string]struct{} // with new names since the last Commit
}

// stagedFile is an object, or its compressed form, that waits for Commit.
type stagedFile struct {
	// from is the name in the staging folder, and to the name below the root of the disk. synced
	// reports whether the bytes are safe already.
	from, to string
	synced   bool
}

// Put implements storage.Batch.
func (b *batch) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	size, err := b.write(ctx, key, r)
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", key, err)
	}
	return size, nil
}

// write writes an object into the staging folder, where it waits for Commit.
func (b *batch) write(ctx context.Context, key string, r io.Reader) (int64, error) {
	into, err := b.stage()
	if err != nil {
		return 0, err
	}
	name, size, err := into.write(ctx, r)
	if err != nil {
		return 0, err
	}
	compressed := ""
	if isCompressible(key) && size >= minCompressed && size <= maxCompressed {
		if compressed, err = into.compress(name, size); err != nil {
			return 0, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written = append(b.written, stagedFile{name, objectName(key), size >= syncedAtOnce})
	if compressed != "" {
		b.compressed = append(b.compressed, stagedFile{from: compressed, to: compressedName(key)})
	}
	return size, nil
}

// stage returns the folder for objects that are being written.
func (b *batch) stage() (_ *staging, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.staging == nil {
		b.staging, err = b.disk.newStaging()
	}
	return b.staging, err
}

// Commit implements storage.Batch.
func (b *batch) Commit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.moveAll(); err != nil {
		return err
	}
	for folder := range b.folders {
		if err := b.sync(folder); err != nil {
			return err
		}
	}
	clear(b.folders)
	return b.close()
}

// moveAll syncs the objects and moves them to their keys, and then their compressed forms. After an
// error, written contains the files that have not moved.
func (b *batch) moveAll() error {
	b.written, b.compressed = append(b.written, b.compressed...), nil
	if len(b.written) == 0 {
		return nil
	}
	if err := b.staging.sync(b.written); err != nil {
		return err
	}
	moves := &mover{disk: b.disk, from: b.staging}
	defer moves.close()
	for i, file := range b.written {
		if err := b.disk.moveInto(moves.move, file.from, file.to); err != nil {
			b.written = b.written[i:]
			return fmt.Errorf("place object: %w", storage.WrapFull(err))
		}
		b.addChangedFolder(path.Dir(file.to))
	}
	b.written = nil
	return nil
}

// addChangedFolder adds a folder to folders, and its parents, which may be new too.
func (b *batch) addChangedFolder(folder string) {
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

// Close implements storage.Batch.
func (b *batch) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written, b.compressed = nil, nil
	return b.close()
}

// close removes the folder with what is left in it.
func (b *batch) close() error {
	if b.staging == nil {
		return nil
	}
	err := b.staging.close()
	b.staging = nil
	return err
}
