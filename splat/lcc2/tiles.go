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

// openTiles is how many tiles stay open. An open tile keeps its decoded images, which
// take megabytes; Gaussians that are read together are mostly in a few tiles.
const openTiles = 4

// tiles opens the bundles of a capture and keeps the most recently used open. Several
// goroutines may use it at once.
type tiles struct {
	folder folder.Reader
	root   string // the manifest's folder

	mu     sync.Mutex
	recent []*tile // the most recently used last
}

// tile is an open bundle.
type tile struct {
	*sog.Reader
	name  string
	users int // that have acquired and not released it
	// discarded tiles are no longer in recent; their last user closes them.
	discarded bool
}

func newTiles(files folder.Reader, root string) *tiles { return &tiles{folder: files, root: root} }

// open returns a tile that stays open until openTiles others are opened. It is for
// reading facts.
func (t *tiles) open(ctx context.Context, name string) (*sog.Reader, error) {
	opened, err := t.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	return opened.Reader, t.release(opened)
}

// acquire returns a tile that stays open until it is released. The lock is held while
// a tile is opened, because opening several at once takes the memory of all.
func (t *tiles) acquire(ctx context.Context, name string) (*tile, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.recent, func(k *tile) bool { return k.name == name }); i >= 0 {
		found := t.recent[i]
		t.recent = append(slices.Delete(t.recent, i, i+1), found)
		found.users++
		return found, nil
	}
	file, err := t.folder.Open(ctx, path.Join(t.root, name))
	if err != nil {
		return nil, tileError(name, err)
	}
	reader, err := sog.OpenBundle(ctx, file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	opened := &tile{Reader: reader, name: name, users: 1}
	t.recent = append(t.recent, opened)
	if len(t.recent) <= openTiles {
		return opened, nil
	}
	oldest := t.recent[0]
	t.recent = t.recent[1:]
	return opened, oldest.discard()
}

// release ends one use of a tile, which may close it.
func (t *tiles) release(used *tile) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	used.users--
	if used.discarded {
		return used.discard()
	}
	return nil
}

// discard closes the tile when it has no users: now, or in the last release. The
// caller holds the lock.
func (t *tile) discard() error {
	t.discarded = true
	if t.users > 0 {
		return nil
	}
	return t.Close()
}

// close closes all tiles. A tile in use is closed when it is released.
func (t *tiles) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, opened := range t.recent {
		errs = append(errs, opened.discard())
	}
	t.recent = nil
	return errors.Join(errs...)
}
