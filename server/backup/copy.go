package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"portico/server/stored"
	"portico/storage"
)

const (
	// copiesAtOnce is how many objects are copied at the same time. A bucket takes a while for each.
	copiesAtOnce = 8
	// copyAttempts is how often an object is read that changes meanwhile, as one may that is still
	// being uploaded.
	copyAttempts = 3
)

// copyObjects copies the objects of the index. Objects that are missing in the store and that an
// earlier backup has are kept from there.
func (b *writing) copyObjects(ctx context.Context, index *stored.Index) error {
	found, total, err := b.list(ctx, index)
	if err != nil {
		return err
	}
	b.objects = make(map[string]object, len(found))
	if err := b.folder.root.MkdirAll(filesFolder, 0o700); err != nil {
		return err
	}
	var mu sync.Mutex
	var done atomic.Int64
	changed := map[string]bool{".": true} // folders
	copying, groupCtx := errgroup.WithContext(ctx)
	copying.SetLimit(copiesAtOnce)
	for _, o := range found {
		if groupCtx.Err() != nil {
			break
		}
		copying.Go(func() error {
			copied, isNew, err := b.copyObject(groupCtx, o)
			if errors.Is(err, storage.ErrNotFound) {
				return nil // deleted since it was listed
			}
			if err != nil {
				return fmt.Errorf("copy %s: %w", o.Key, err)
			}
			if b.Progress != nil {
				b.Progress(done.Add(o.Size), total)
			}
			mu.Lock()
			defer mu.Unlock()
			b.objects[o.Key] = copied
			index.RowOf(o.Key).Add(storage.Object{Key: o.Key, Size: copied.Size})
			if isNew {
				b.result.Copied++
				b.result.CopiedBytes += copied.Size
				for folder := path.Dir(path.Join(filesFolder, o.Key)); folder != "."; folder = path.Dir(folder) {
					changed[folder] = true
				}
			}
			return nil
		})
	}
	if err := copying.Wait(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for folder := range changed {
		if err := b.folder.sync(folder); err != nil {
			return err
		}
	}
	b.keepEarlier(index)
	return nil
}

// list returns the objects in the store that the index names, and their bytes.
func (b *writing) list(ctx context.Context, index *stored.Index) (found []storage.Object, total int64, err error) {
	for o, err := range b.Store.List(ctx, "") {
		if err != nil {
			return nil, 0, err
		}
		if index.RowOf(o.Key) != nil {
			found = append(found, o)
			total += o.Size
		}
	}
	return found, total, nil
}

// keepEarlier keeps the copies of objects that rows name and the store has lost.
func (b *writing) keepEarlier(index *stored.Index) {
	for key, o := range b.earlier {
		row := index.RowOf(key)
		if _, ok := b.objects[key]; ok || row == nil || !row.IsShort() {
			continue
		}
		if info, err := b.folder.root.Stat(path.Join(filesFolder, key)); err != nil || info.Size() != o.Size {
			continue
		}
		b.Logger.Warn("a file is missing in the store, and is kept from the earlier backup", "key", key)
		b.objects[key] = o
		row.Add(storage.Object{Key: key, Size: o.Size})
	}
}

// copyObject copies an object, unless an earlier backup has. isNew reports whether it did.
func (b *writing) copyObject(ctx context.Context, o storage.Object) (copied object, isNew bool, err error) {
	if earlier, ok := b.earlier[o.Key]; ok && earlier.Size == o.Size && earlier.ETag == o.ETag && b.isWhole(earlier) {
		return earlier, false, nil
	}
	for attempt := 1; ; attempt++ {
		copied = object{Key: o.Key, ETag: o.ETag, Size: o.Size}
		var got sum
		if got, err = b.fetch(ctx, o.Key); err != nil {
			return object{}, false, err
		}
		if copied.SHA256 = got.SHA256; got.Bytes == o.Size {
			return copied, true, b.folder.noteCopied(copied)
		}
		if attempt == copyAttempts {
			return object{}, false, fmt.Errorf("it has %d bytes, and the store says %d", got.Bytes, o.Size)
		}
		if o, err = b.Store.Stat(ctx, o.Key); err != nil {
			return object{}, false, err
		}
	}
}

// isWhole reports whether the copy of an earlier backup is there. With Verify it reads the copy.
func (b *writing) isWhole(o object) bool {
	name := path.Join(filesFolder, o.Key)
	if b.Verify {
		err := checkFile(b.folder.root, name, sum{o.Size, o.SHA256})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			b.Logger.Warn("the copy of an earlier backup is damaged, and is copied again", "key", o.Key, "error", err)
		}
		return err == nil
	}
	info, err := b.folder.root.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == o.Size
}

// fetch copies the bytes of an object to their name, and reads them again. Nothing is at the name
// before all are there.
func (b *writing) fetch(ctx context.Context, key string) (sum, error) {
	source, err := b.Store.Open(ctx, key)
	if err != nil {
		return sum{}, err
	}
	defer source.Close() //nolint:errcheck // read only
	temporary, name := path.Join(filesFolder, ".new-"+rand.Text()), path.Join(filesFolder, key)
	got, err := b.folder.write(temporary, func(w io.Writer) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, source, make([]byte, 256<<10))
		return err
	})
	if err == nil {
		err = b.folder.root.MkdirAll(path.Dir(name), 0o700)
	}
	if err == nil {
		err = b.folder.root.Rename(temporary, name)
	}
	if err != nil {
		_ = b.folder.root.Remove(temporary) // what a killed process leaves is removed by the next backup
		return sum{}, err
	}
	return got, checkFile(b.folder.root, name, got)
}
