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

// upright rotates z up to y down, a quarter turn about x. Package lcc does the same, so
// that an LCC and an LCC2 export of one scan coincide.
func upright() *gaussian.Rotation {
	return gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
}

// Positions implements gaussian.Source. It decodes each tile once, however many spans
// the manifest divides it into: decoding it per span would let a small hostile file
// take hours.
func (c *Capture) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	done := 0
	for _, spans := range byTile(c.levels[level]) {
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

// byTile groups spans by their tile, in the order of the first span of each.
func byTile(spans []span) [][]span {
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

// readPositions sets the positions of spans of one tile, with y down. p has the
// positions of the level.
func (c *Capture) readPositions(ctx context.Context, spans []span, p []float32) error {
	end := 0
	for _, s := range spans {
		end = max(end, s.start+s.count)
	}
	return c.withTile(ctx, spans[0].tile, end, func(tile gaussian.Source) error {
		// SOG decodes whole images, so all positions cost as much as a part.
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
				// The quarter turn of upright, for positions alone.
				// The x of a Gaussian that is left out stays NaN.
				to[i], to[i+1], to[i+2] = from[i], -from[i+2], from[i+1]
			}
		}
		return nil
	})
}

// Read implements gaussian.Source. It reads each tile once, in whatever order the
// numbers are.
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
	upright().Apply(cloud)
	return nil
}

// rows are the requested Gaussians of one tile.
type rows struct {
	tile string
	// numbers are their numbers within the tile, and indices their indices in the
	// request.
	numbers, indices []uint32
	// end is the number of Gaussians that the tile must have.
	end int
}

// rows groups the numbers of a level by their tiles.
func (c *Capture) rows(level int, numbers []uint32) []*rows {
	var all []*rows
	known := map[string]*rows{}
	for index, number := range numbers {
		s := spanOf(c.levels[level], int(number))
		of, ok := known[s.tile]
		if !ok {
			of = &rows{tile: s.tile}
			known[s.tile], all = of, append(all, of)
		}
		of.numbers = append(of.numbers, number-uint32(s.first)+uint32(s.start))
		of.indices = append(of.indices, uint32(index))
		of.end = max(of.end, s.start+s.count)
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
	upright().Apply(cloud)
	return nil
}

// readRows reads rows from their tile, with z up.
func (c *Capture) readRows(ctx context.Context, r *rows, cloud *gaussian.Cloud) error {
	return c.withTile(ctx, r.tile, r.end, func(tile gaussian.Source) error { return tile.Read(ctx, 0, r.numbers, cloud) })
}

// withTile calls read with an open tile. It first checks that the tile has as many
// Gaussians as the manifest needs; Open does not, because opening all tiles takes
// long.
func (c *Capture) withTile(ctx context.Context, name string, needs int, read func(gaussian.Source) error) error {
	tile, err := c.tiles.acquire(ctx, name)
	if err != nil {
		return err
	}
	if has := tile.Levels()[0]; needs > has {
		err = input.Damaged(name, "it has %d splats, but the manifest refers to %d", has, needs)
	} else {
		err = read(tile.Source)
	}
	return errors.Join(err, c.tiles.release(tile))
}

// spanOf returns the span with the number. The search skips empty spans, because
// their end is not above any number in them.
func spanOf(spans []span, number int) span {
	return spans[sort.Search(len(spans), func(i int) bool { return spans[i].first+spans[i].count > number })]
}

// consecutive returns n numbers from first on.
func consecutive(first, n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(first + i)
	}
	return numbers
}

// tileError returns the error about a tile that cannot be opened. A missing tile is the
// user's fault; a failing disk is an internal error and worth another attempt.
func tileError(tile string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return input.Errorf(tile, "is missing").Advise("Upload the capture with all its tiles")
	}
	return fmt.Errorf("open tile %s: %w", input.Quote(tile), err)
}
