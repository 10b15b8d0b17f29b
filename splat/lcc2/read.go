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
	"portico/splat/sog"
)

// upright turns what has z up into what has y down: a quarter turn about x, as
// package lcc does it, so that both exports of one scan lie in each other.
func upright() *gaussian.Rotation {
	return gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
}

// Positions implements gaussian.Source. Each tile is decoded once, into how many
// spans ever the manifest cuts it: to decode it for each would let a small file
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

// byTile returns the spans of each tile, in the order in which the tiles come
// first.
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

// readPositions sets the positions of the spans, all of one tile, y down. p holds
// those of the level.
func (c *Capture) readPositions(ctx context.Context, spans []span, p []float32) error {
	end := 0
	for _, s := range spans {
		end = max(end, s.start+s.count)
	}
	return c.use(ctx, spans[0].tile, end, func(tile *sog.Reader) error {
		// SOG decodes images as a whole: a part costs as much as all.
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
				to[i], to[i+1], to[i+2] = from[i], -from[i+2], from[i+1]
			}
		}
		return nil
	})
}

// Read implements gaussian.Source. Each tile that the numbers lie in is read once,
// however they are mixed.
func (c *Capture) Read(ctx context.Context, level int, numbers []uint32, cloud *gaussian.Cloud) error {
	cloud.Resize(len(numbers), c.degree)
	var part gaussian.Cloud
	for _, r := range c.rows(level, numbers) {
		if err := c.readRows(ctx, r, &part); err != nil {
			return err
		}
		scatter(cloud, &part, r.places)
	}
	upright().Apply(cloud)
	return nil
}

// rows are Gaussians of one tile.
type rows struct {
	tile string
	// numbers are theirs in the tile, and places theirs in what is asked for.
	numbers, places []uint32
	// end is how many Gaussians the tile must have.
	end int
}

// rows returns what the numbers of a level stand for in each tile.
func (c *Capture) rows(level int, numbers []uint32) []*rows {
	var all []*rows
	known := map[string]*rows{}
	for place, number := range numbers {
		s := spanOf(c.levels[level], int(number))
		of, ok := known[s.tile]
		if !ok {
			of = &rows{tile: s.tile}
			known[s.tile], all = of, append(all, of)
		}
		of.numbers = append(of.numbers, number-uint32(s.first)+uint32(s.start))
		of.places = append(of.places, uint32(place))
		of.end = max(of.end, s.start+s.count)
	}
	return all
}

// Environment implements gaussian.Source. It is one tile, which may have harmonics
// of another degree than the levels.
func (c *Capture) Environment(ctx context.Context, cloud *gaussian.Cloud) error {
	cloud.Resize(0, 0)
	for _, s := range c.env {
		if err := c.readRows(ctx, &rows{tile: s.tile, numbers: countFrom(s.start, s.count), end: s.start + s.count}, cloud); err != nil {
			return err
		}
	}
	upright().Apply(cloud)
	return nil
}

// readRows reads these rows of their tile, z up.
func (c *Capture) readRows(ctx context.Context, r *rows, cloud *gaussian.Cloud) error {
	return c.use(ctx, r.tile, r.end, func(tile *sog.Reader) error { return tile.Read(ctx, 0, r.numbers, cloud) })
}

// use opens a tile for the reading. It must have as many Gaussians as the manifest
// says, which is nowhere else found out: to open all tiles for it takes long.
func (c *Capture) use(ctx context.Context, name string, needs int, read func(*sog.Reader) error) error {
	tile, err := c.tiles.acquire(ctx, name)
	if err != nil {
		return err
	}
	if has := tile.Levels()[0]; needs > has {
		err = input.Errorf(name, "has %d splats; the manifest refers to %d", has, needs)
	} else {
		err = read(tile.Reader)
	}
	return errors.Join(err, c.tiles.release(tile))
}

// spanOf returns the span that the number lies in. Empty ones are passed over:
// they end where they begin.
func spanOf(spans []span, number int) span {
	return spans[sort.Search(len(spans), func(i int) bool { return spans[i].first+spans[i].count > number })]
}

// countFrom returns n numbers in a row, of which the first is given.
func countFrom(first, n int) []uint32 {
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(first + i)
	}
	return numbers
}

// scatter puts the Gaussians of from to these places. Where from has harmonics
// of another degree, those that are missing are 0.
func scatter(to, from *gaussian.Cloud, places []uint32) {
	coefficients, given := gaussian.Coefficients(to.Degree), gaussian.Coefficients(from.Degree)
	shared := min(coefficients, given)
	for i, at := range places {
		at := int(at)
		copy(to.Positions[3*at:3*at+3], from.Positions[3*i:])
		copy(to.Rotations[4*at:4*at+4], from.Rotations[4*i:])
		copy(to.Scales[3*at:3*at+3], from.Scales[3*i:])
		copy(to.Colours[3*at:3*at+3], from.Colours[3*i:])
		to.Opacities[at] = from.Opacities[i]
		for channel := range 3 {
			values := to.Harmonics[(3*at+channel)*coefficients:][:coefficients]
			clear(values)
			copy(values, from.Harmonics[(3*i+channel)*given:][:shared])
		}
	}
}

// missing says whose fault it is that a tile cannot be opened: a capture without one
// of its tiles is the user's, a disk that fails is ours and worth another try.
func missing(tile string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return input.Errorf(tile, "is missing")
	}
	return fmt.Errorf("open tile %s: %w", input.Quote(tile), err)
}
