package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"portico/storage"
)

// fetched is how far a copy has come, in bytes.
type fetched func(done, total int64)

// local returns the path of an object on this machine, which is to be read only.
// Where the store is elsewhere the object is copied; with whole, all that lies
// beside it and below too.
func (b *bench) local(ctx context.Context, key string, whole bool, progress fetched) (string, error) {
	if store, ok := b.Store.(storage.Local); ok {
		return store.LocalPath(ctx, key)
	}
	objects, bytes, err := b.objects(ctx, key, whole)
	if err != nil {
		return "", err
	}
	into, err := b.subfolder("in")
	if err != nil {
		return "", err
	}
	// What is copied counts against nobody's storage.
	if err := b.folder.checkRoom(bytes); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(into)
	if err != nil {
		return "", fmt.Errorf("open a folder to work in: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder has nothing to write
	sink, done := folderSink{root}, int64(0)
	for _, object := range objects {
		name := strings.TrimPrefix(object.Key, path.Dir(key)+"/")
		before := done
		if err := b.fetch(ctx, sink, name, object, func(n int64) { progress(before+n, bytes) }); err != nil {
			return "", err
		}
		done += object.Size
	}
	return filepath.Join(into, path.Base(key)), nil
}

// objects lists what local copies, with its size.
func (b *bench) objects(ctx context.Context, key string, whole bool) (objects []storage.Object, bytes int64, err error) {
	if !whole { // one upload may have neighbours: those of all the user's
		object, err := b.Store.Stat(ctx, key)
		return []storage.Object{object}, object.Size, err
	}
	for object, err := range b.Store.List(ctx, path.Dir(key)) {
		if err != nil {
			return nil, 0, err
		}
		objects, bytes = append(objects, object), bytes+object.Size
	}
	return objects, bytes, nil
}

// fetch copies one object.
func (b *bench) fetch(ctx context.Context, sink folderSink, name string, object storage.Object, notify func(done int64)) error {
	r, err := b.Store.Open(ctx, object.Key)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	defer r.Close() //nolint:errcheck // read only
	if err := sink.Put(ctx, name, object.Size, &counter{r: r, notify: notify}); err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	return nil
}

// folderSink takes files into a folder of this machine, and lets no name lead out
// of it.
type folderSink struct{ root *os.Root }

// Put implements splat.Sink.
func (s folderSink) Put(_ context.Context, name string, _ int64, r io.Reader) (err error) {
	if err := s.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return full(err)
	}
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return full(err)
	}
	defer func() { err = full(errors.Join(err, file.Close())) }()
	// The struct hides the file's ReadFrom, which would bring its own buffer.
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, r, make([]byte, readBuffer))
	return err
}
