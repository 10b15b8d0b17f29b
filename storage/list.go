package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
)

// List implements Store. It holds the names of one folder per level in memory.
func (d *Disk) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		folder, err := checkPrefix(prefix)
		if err != nil {
			yield(Object{}, err)
			return
		}
		w := &walk{ctx: ctx, files: d.root.FS(), yield: yield}
		w.folder(folder)
	}
}

// walk goes through the folders for one List.
type walk struct {
	ctx   context.Context
	files fs.FS
	yield func(Object, error) bool
}

// folder yields what is below a folder; it is false when the walk is over.
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

// entry yields one object or what is below one folder. Links, sockets and
// names that cannot be keys are not objects: no upload made them.
func (w *walk) entry(key string, entry fs.DirEntry) bool {
	if entry.IsDir() {
		return w.folder(key)
	}
	if !entry.Type().IsRegular() || CheckKey(key) != nil {
		return true
	}
	info, err := entry.Info()
	if err != nil {
		return w.fail(key, err)
	}
	return w.yield(objectOf(key, info), nil)
}

// fail ends the walk with an error, or goes on if something was only deleted
// while the walk was on its way to it.
func (w *walk) fail(key string, err error) bool {
	if errors.Is(missing(err), ErrNotFound) {
		return true
	}
	w.yield(Object{}, fmt.Errorf("list %q: %w", key, err))
	return false
}

// byKey sorts a folder behind the slash that its keys go on with: "a.ply"
// comes before "a/b.ply", though "a" comes before "a.ply".
func byKey(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) }

func sortName(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}
