package lcc2

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"

	"portico/splat/folder"
	"portico/splat/sog"
)

// openTiles is how many tiles stay open: their pictures are held decoded, and
// what is read together mostly lies in few of them.
const openTiles = 4

// tiles opens the bundles of a capture and keeps the latest. It may be used by
// several goroutines at once.
type tiles struct {
	folder folder.Reader
	root   string // the manifest's folder

	mu   sync.Mutex
	kept []*tile // the latest last
}

// tile is an opened bundle.
type tile struct {
	*sog.Reader
	name  string
	users int  // who have acquired it and not released it yet
	old   bool // not kept any more: the last user closes it
}

func newTiles(files folder.Reader, root string) *tiles { return &tiles{folder: files, root: root} }

// open returns a tile, until another one is opened too many: for facts.
func (t *tiles) open(ctx context.Context, name string) (*sog.Reader, error) {
	opened, err := t.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	return opened.Reader, t.release(opened)
}

// acquire returns a tile that stays open until it is released. One tile is opened
// at a time: several at once would only need the memory of all.
func (t *tiles) acquire(ctx context.Context, name string) (*tile, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.kept, func(k *tile) bool { return k.name == name }); i >= 0 {
		found := t.kept[i]
		t.kept = append(slices.Delete(t.kept, i, i+1), found)
		found.users++
		return found, nil
	}
	file, err := t.folder.Open(ctx, path.Join(t.root, name))
	if err != nil {
		return nil, missing(name, err)
	}
	reader, err := sog.OpenBundle(ctx, file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	opened := &tile{Reader: reader, name: name, users: 1}
	t.kept = append(t.kept, opened)
	if len(t.kept) <= openTiles {
		return opened, nil
	}
	oldest := t.kept[0]
	t.kept = t.kept[1:]
	return opened, oldest.forget()
}

// release gives a tile back, once for each time that it was acquired. The caller
// uses it no more: it may be closed by now.
func (t *tiles) release(used *tile) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	used.users--
	if used.old {
		return used.forget()
	}
	return nil
}

// forget closes the tile once nobody uses it: now, or when it is released. The lock
// is the caller's.
func (t *tile) forget() error {
	t.old = true
	if t.users > 0 {
		return nil
	}
	return t.Close()
}

// close closes what is open. What somebody still uses is closed when it is released.
func (t *tiles) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, opened := range t.kept {
		errs = append(errs, opened.forget())
	}
	t.kept = nil
	return errors.Join(errs...)
}
