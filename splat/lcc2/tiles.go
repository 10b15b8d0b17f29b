package lcc2

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ply"
	"portico/splat/sog"
	"portico/splat/spz"
)

// openTiles is how many tiles stay open. An open tile keeps its decoded Gaussians, which
// take megabytes; Gaussians that are read together are mostly in a few tiles.
const openTiles = 4

// tiles opens the tiles of a capture and keeps the most recently used open. Several
// goroutines may use it at once.
type tiles struct {
	folder folder.Reader
	root   string // the manifest's folder

	mu     sync.Mutex
	recent []*tile // the most recently used last
}

// tile is an open tile of any of the formats.
type tile struct {
	gaussian.Source

	name  string
	users int // that have acquired and not released it
	// discarded tiles are no longer in recent; their last user closes them.
	discarded bool
}

func newTiles(files folder.Reader, root string) *tiles { return &tiles{folder: files, root: root} }

// open returns a tile that stays open until openTiles others are opened. It is for
// reading facts.
func (t *tiles) open(ctx context.Context, name string) (gaussian.Source, error) {
	opened, err := t.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	return opened.Source, t.release(opened)
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
	source, err := openTile(ctx, file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	opened := &tile{Source: source, name: name, users: 1}
	t.recent = append(t.recent, opened)
	if len(t.recent) <= openTiles {
		return opened, nil
	}
	oldest := t.recent[0]
	t.recent = t.recent[1:]
	return opened, oldest.discard()
}

// openTile opens a file in the format of its extension, which the manifest determines
// (LCC2 white paper, "splatType"). Tiles have the axes of the capture, z up, whatever
// their format: the axes of PLY keep the values of an SPZ tile as they are.
func openTile(ctx context.Context, file folder.File, name string) (gaussian.Source, error) {
	switch {
	case input.HasExtension(name, ".spz"):
		return spz.Options{Axes: spz.AxesPLY}.Open(ctx, file, name)
	case input.HasExtension(name, ".ply"):
		opened, err := ply.Open(ctx, file, name)
		if err != nil {
			return nil, err
		}
		source, ok := opened.Source()
		if !ok {
			return nil, input.Damaged(name, "it is a tile without Gaussians")
		}
		return source, nil
	default:
		return sog.OpenBundle(ctx, file, name)
	}
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
