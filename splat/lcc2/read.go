package lcc2

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sort"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// uprightRotation returns the rotation from z up to y down, a quarter turn about x. Package lcc
// does the same, so that an LCC and an LCC2 export of one scan coincide.
func uprightRotation() *gaussian.Rotation {
	return gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
}

// Positions implements gaussian.Source. It decodes each tile once, into however many spans the
// manifest divides it. If it decoded a tile for each span, a small hostile file would take hours.
func (c *Capture) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	done := 0
	for _, spans := range groupByTile(c.levels[level]) {
		if err := c.readPositions(ctx, spans, p); err != nil {
			return err
		}
		for _, s := range spans {
			done += s.count
		}
		if progress != nil {
			progress(done)
		}
	}
	return nil
}

// groupByTile groups spans by their tile, in the order of the first span of each tile.
func groupByTile(spans []span) [][]span {
	var tiles [][]span
	known := map[string]int{}
	for _, s := range spans {
		i, ok := known[s.tile]
		if !ok {
			i = len(tiles)
			known[s.tile], tiles = i, append(tiles, nil)
		}
		tiles[i] = append(tiles[i], s)
	}
	return tiles
}

// readPositions sets the positions of spans of one tile, with y down. p contains the positions of
// the whole level.
func (c *Capture) readPositions(ctx context.Context, spans []span, p []float32) error {
	end := 0
	for _, s := range spans {
		end = max(end, s.start+s.count)
	}
	return c.withTile(ctx, spans[0].tile, end, func(tile gaussian.Source) error {
		// SOG decodes whole images, so a part of the positions would take as long as all.
		all := make([]float32, 3*tile.Levels()[0])
		if err := tile.Positions(ctx, 0, all, nil); err != nil {
			return err
		}
		for _, s := range spans {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			to, from := p[3*s.first:][:3*s.count], all[3*s.start:]
			for i := 0; i < len(to); i += 3 {
				// This is the rotation of upright. x does not change, so it stays NaN for a
				// Gaussian that is left out.
				to[i], to[i+1], to[i+2] = from[i], -from[i+2], from[i+1]
			}
		}
		return nil
	})
}

// Read implements gaussian.Source. It reads each tile once, whatever the order of the numbers is.
func (c *Capture) Read(ctx context.Context, level int, numbers []uint32, cloud *gaussian.Cloud) error {
	cloud.Resize(len(numbers), c.degree)
	var part gaussian.Cloud // reused for each tile
	for _, r := range c.rows(level, numbers) {
		if err := c.readRows(ctx, r, &part); err != nil {
			return err
		}
		for i, at := range r.indices {
			cloud.Set(int(at), &part, i)
		}
	}
	uprightRotation().Apply(cloud)
	return nil
}

// rows are the requested Gaussians of one tile.
type rows struct {
	tile string
	// numbers are the numbers of these Gaussians within the tile, and indices are their indices
	// in the request.
	numbers, indices []uint32
	// end is the number of Gaussians that the tile must have.
	end int
}

// rows groups the numbers of a level by their tiles.
//
// A number changes twice: from the level to the span by subtracting first, and from the span to the
// tile by adding start.
func (c *Capture) rows(level int, numbers []uint32) []*rows {
	var all []*rows
	known := map[string]*rows{}
	for index, number := range numbers {
		s := spanOf(c.levels[level], int(number))
		r, ok := known[s.tile]
		if !ok {
			r = &rows{tile: s.tile}
			known[s.tile], all = r, append(all, r)
		}
		r.numbers = append(r.numbers, number-uint32(s.first)+uint32(s.start))
		r.indices = append(r.indices, uint32(index))
		r.end = max(r.end, s.start+s.count)
	}
	return all
}

// Environment implements gaussian.Source. Its tile may have harmonics of another
// degree than the levels.
func (c *Capture) Environment(ctx context.Context, cloud *gaussian.Cloud) error {
	cloud.Resize(0, 0)
	for _, s := range c.env {
		if err := c.readRows(ctx, &rows{tile: s.tile, numbers: consecutive(s.start, s.count), end: s.start + s.count}, cloud); err != nil {
			return err
		}
	}
	uprightRotation().Apply(cloud)
	return nil
}

// readRows reads rows from their tile, with z up.
func (c *Capture) readRows(ctx context.Context, r *rows, cloud *gaussian.Cloud) error {
	return c.withTile(ctx, r.tile, r.end, func(tile gaussian.Source) error { return tile.Read(ctx, 0, r.numbers, cloud) })
}

// withTile calls read with an open tile. It first checks that the tile has the number of Gaussians
// that the manifest needs. Open does not check this, because opening all tiles takes long.
func (c *Capture) withTile(ctx context.Context, name string, needs int, read func(gaussian.Source) error) error {
	tile, err := c.tiles.acquire(ctx, name)
	if err != nil {
		return err
	}
	if has := tile.Levels()[0]; needs > has {
		err = input.Damaged(name, "it has %d Gaussians, but the manifest refers to %d", has, needs)
	} else {
		err = read(tile.Source)
	}
	return errors.Join(err, c.tiles.release(tile))
}

// spanOf returns the span that contains the number. The search condition is never true for an
// empty span before it.
func spanOf(spans []span, number int) span {
	return spans[sort.Search(len(spans), func(i int) bool { return spans[i].first+spans[i].count > number })]
}

// consecutive returns the n numbers that start with first.
func consecutive(first, n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(first + i)
	}
	return numbers
}

// tileError returns the error about a tile that cannot be opened. A missing tile is a fault of the
// capture. A failing disk is an internal error, after which another attempt may succeed.
func tileError(tile string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return input.Errorf(tile, "is missing").Advise("Upload the capture with all its tiles")
	}
	return fmt.Errorf("open tile %s: %w", input.Quote(tile), err)
}
