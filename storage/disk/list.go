package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"

	"portico/storage"
)

// List implements storage.Store. It holds the names of one folder for each level in memory. A
// folder that is missing has no objects.
func (d *Store) List(ctx context.Context, prefix string) iter.Seq2[storage.Object, error] {
	return func(yield func(storage.Object, error) bool) {
		folder, err := storage.CheckPrefix(prefix)
		if err != nil {
			yield(storage.Object{}, err)
			return
		}
		w := &walk{ctx: ctx, files: d.root.FS(), yield: yield}
		w.folder(folder)
	}
}

// walk walks the folders for one call of List.
type walk struct {
	ctx   context.Context
	files fs.FS
	yield func(storage.Object, error) bool
}

// folder yields the objects below a folder and reports whether the walk continues.
func (w *walk) folder(folder string) bool {
	if err := w.ctx.Err(); err != nil {
		return w.fail(folder, err)
	}
	entries, err := fs.ReadDir(w.files, objectName(folder))
	if err != nil {
		return w.fail(folder, err)
	}
	slices.SortFunc(entries, byKey)
	for _, entry := range entries {
		if !w.entry(path.Join(folder, entry.Name()), entry) {
			return false
		}
	}
	return true
}

// entry yields one object, or the objects below one folder. It skips links, sockets and
// names that are not valid keys: no upload creates them.
func (w *walk) entry(key string, entry fs.DirEntry) bool {
	if entry.IsDir() {
		return w.folder(key)
	}
	if !entry.Type().IsRegular() || storage.CheckKey(key) != nil {
		return true
	}
	info, err := entry.Info()
	if err != nil {
		return w.fail(key, err)
	}
	return w.yield(objectOf(key, info), nil)
}

// fail yields the error and ends the walk, unless the object or folder was deleted during
// the walk.
func (w *walk) fail(key string, err error) bool {
	if errors.Is(wrapNotFound(err), storage.ErrNotFound) {
		return true
	}
	w.yield(storage.Object{}, fmt.Errorf("list %q: %w", key, err))
	return false
}

// byKey compares entries by the keys that they lead to. A folder sorts with its slash:
// "a.ply" comes before "a/b.ply", although "a" comes before "a.ply".
func byKey(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) }

// sortName returns the name of an entry as it is in keys: a folder with its slash.
func sortName(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}
