package worker

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"portico/splat/folder"
	"portico/storage"
)

// fetched is how far a copy has come, in bytes.
type fetched func(done, total int64)

// input is a file of this machine that a child reads; with whole, all that lies
// beside it and below too.
type input struct {
	path  string
	whole bool
}

// bytes returns how many bytes there are to be read.
func (in input) bytes() (int64, error) {
	info, err := os.Stat(in.path)
	if err != nil || !in.whole {
		return sizeOf(info, err)
	}
	total := int64(0)
	err = filepath.WalkDir(filepath.Dir(in.path), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		size, err := sizeOf(entry.Info())
		total += size
		return err
	})
	return total, err
}

func sizeOf(info fs.FileInfo, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// local returns an object as a file of this machine, which is to be read only.
// Where the store is elsewhere the object is copied; with whole, all that lies
// beside it and below too.
func (s *workspace) local(ctx context.Context, key string, whole bool, progress fetched) (input, error) {
	if store, ok := s.store.(storage.Local); ok {
		path, err := store.LocalPath(ctx, key)
		return input{path, whole}, err
	}
	path, err := s.copy(ctx, key, whole, progress)
	return input{path, whole}, err
}

// copy copies what local returns into the folder.
func (s *workspace) copy(ctx context.Context, key string, whole bool, progress fetched) (string, error) {
	objects, bytes, err := s.objects(ctx, key, whole)
	if err != nil {
		return "", err
	}
	into, err := s.subfolder("in")
	if err != nil {
		return "", err
	}
	// What is copied counts against nobody's storage.
	if err := s.folder.checkRoom(bytes); err != nil {
		return "", err
	}
	to, err := openScratch(into)
	if err != nil {
		return "", err
	}
	defer to.Close() //nolint:errcheck // a folder has nothing to write
	done := int64(0)
	for _, object := range objects {
		name := strings.TrimPrefix(object.Key, path.Dir(key)+"/")
		before := done
		if err := s.fetch(ctx, to, name, object, func(n int64) { progress(before+n, bytes) }); err != nil {
			return "", err
		}
		done += object.Size
	}
	return filepath.Join(into, path.Base(key)), nil
}

// objects lists what local copies, with its size.
func (s *workspace) objects(ctx context.Context, key string, whole bool) (objects []storage.Object, bytes int64, err error) {
	if !whole { // one upload may have neighbours: those of all the user's
		object, err := s.store.Stat(ctx, key)
		return []storage.Object{object}, object.Size, err
	}
	for object, err := range s.store.List(ctx, path.Dir(key)) {
		if err != nil {
			return nil, 0, err
		}
		objects, bytes = append(objects, object), bytes+object.Size
	}
	return objects, bytes, nil
}

// fetch copies one object.
func (s *workspace) fetch(ctx context.Context, to folder.Writer, name string, object storage.Object, notify func(done int64)) error {
	r, err := s.store.Open(ctx, object.Key)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	defer r.Close() //nolint:errcheck // read only
	if err := to.Put(ctx, name, object.Size, &progressReader{r: r, notify: notify}); err != nil {
		return fmt.Errorf("fetch %s: %w", object.Key, err)
	}
	return nil
}

// scratch is a folder of this machine in which captures are worked on. It reports
// a full disk as storage.ErrFull.
type scratch struct{ *folder.Local }

// openScratch opens a folder of the workspace. The caller closes it.
func openScratch(path string) (scratch, error) {
	local, err := folder.OpenLocal(path)
	if err != nil {
		return scratch{}, fmt.Errorf("open a folder to work in: %w", err)
	}
	return scratch{local}, nil
}

// Put implements folder.Writer.
func (s scratch) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	return full(s.Local.Put(ctx, name, size, r))
}
