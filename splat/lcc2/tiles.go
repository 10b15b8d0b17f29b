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

// maxOpenTiles is how many tiles stay open. The decoded Gaussians of an open tile take megabytes,
// and Gaussians that are read together are mostly in a few tiles.
const maxOpenTiles = 4

// tiles is a cache of the most recently used tiles of a capture, which stay open. It is safe for
// concurrent use.
//
// A tile is in one of these states:
//
//	in recent, with users       open
//	in recent, without users    open, and closed when other tiles push it out
//	discarded, with users       open until the last user releases it
//	discarded, without users    closed
type tiles struct {
	folder folder.Reader
	root   string // the manifest's folder

	// mu protects recent, and users and discarded of all tiles.
	mu     sync.Mutex
	recent []*tile // the most recently used last
}

// tile is an open tile of any of the formats.
type tile struct {
	gaussian.Source

	name  string
	users int // how many callers have acquired the tile and not released it
	// discarded reports that the tile is no longer in recent. Its last user closes it.
	discarded bool
}

// newTiles returns a cache for the tiles of a manifest in the folder root. No tile is open.
func newTiles(files folder.Reader, root string) *tiles { return &tiles{folder: files, root: root} }

// open returns a tile for reading facts. The tile may be closed when maxOpenTiles others are
// opened.
func (t *tiles) open(ctx context.Context, name string) (gaussian.Source, error) {
	opened, err := t.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	return opened.Source, t.release(opened)
}

// acquire returns a tile that stays open until the caller releases it. It holds the lock while it
// opens a tile, so that tiles are opened one by one: opening a tile takes much memory.
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
	if len(t.recent) <= maxOpenTiles {
		return opened, nil
	}
	oldest := t.recent[0]
	t.recent = t.recent[1:]
	return opened, oldest.discard()
}

// openTile opens a file in the format of its extension, which the manifest determines (LCC2 white
// paper, "splatType"). Tiles have the axes of the capture, z up, whatever their format. AxesPLY
// leaves the values of an SPZ tile unchanged.
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

// release ends one use of a tile. It closes a discarded tile after the last use.
func (t *tiles) release(used *tile) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	used.users--
	if used.discarded {
		return used.discard()
	}
	return nil
}

// discard closes the tile if it has no users; otherwise the last release closes it. The caller
// holds the lock.
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
