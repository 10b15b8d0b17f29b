package lcc2

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sort"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

// upright turns what has z up into what has y down: a quarter turn about x.
func upright() *gaussian.Rotation {
	return gaussian.NewRotation([4]float32{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
}

// Positions implements gaussian.Source, tile by tile.
func (c *Capture) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	done := 0
	for _, s := range c.levels[level] {
		if err := c.readPositions(ctx, s, p[3*s.first:][:3*s.count]); err != nil {
			return err
		}
		if done += s.count; progress != nil {
			progress(done)
		}
	}
	return nil
}

// readPositions sets p to the positions of a span, y down.
func (c *Capture) readPositions(ctx context.Context, s span, p []float32) error {
	return c.use(ctx, s, func(tile *sog.Reader) error {
		all := make([]float32, 3*tile.Levels()[0])
		if err := tile.Positions(ctx, 0, all, nil); err != nil {
			return err
		}
		for i, from := 0, all[3*s.start:]; i < len(p); i += 3 {
			p[i], p[i+1], p[i+2] = from[i], -from[i+2], from[i+1]
		}
		return nil
	})
}

// Read implements gaussian.Source. Each tile that the numbers lie in is opened
// once, unless there are gaps in between that make it one more time.
func (c *Capture) Read(ctx context.Context, level int, numbers []uint32, cloud *gaussian.Cloud) error {
	cloud.Resize(len(numbers), c.degree)
	order := countFrom(0, len(numbers))
	slices.SortFunc(order, func(a, b uint32) int { return int(numbers[a]) - int(numbers[b]) })
	spans := c.levels[level]
	var rows []uint32
	var part gaussian.Cloud
	for len(order) > 0 {
		s := spans[spanOf(spans, int(numbers[order[0]]))]
		n := sort.Search(len(order), func(i int) bool { return int(numbers[order[i]]) >= s.first+s.count })
		rows = rows[:0]
		for _, i := range order[:n] {
			rows = append(rows, numbers[i]-uint32(s.first)+uint32(s.start))
		}
		if err := c.readSpan(ctx, s, rows, &part); err != nil {
			return err
		}
		scatter(cloud, &part, order[:n])
		order = order[n:]
	}
	upright().Apply(cloud)
	return nil
}

// Environment implements gaussian.Source.
func (c *Capture) Environment(ctx context.Context, cloud *gaussian.Cloud) error {
	cloud.Resize(0, 0)
	for _, s := range c.env {
		if err := c.readSpan(ctx, s, countFrom(s.start, s.count), cloud); err != nil {
			return err
		}
	}
	upright().Apply(cloud)
	return nil
}

// readSpan reads these rows of the span's tile, z up.
func (c *Capture) readSpan(ctx context.Context, s span, rows []uint32, cloud *gaussian.Cloud) error {
	return c.use(ctx, s, func(tile *sog.Reader) error { return tile.Read(ctx, 0, rows, cloud) })
}

// use opens the span's tile, which must have all of the span, for the reading.
func (c *Capture) use(ctx context.Context, s span, read func(*sog.Reader) error) error {
	tile, err := c.tiles.acquire(ctx, s.tile)
	if err != nil {
		return err
	}
	if has := tile.Levels()[0]; s.start+s.count > has {
		err = input.Errorf(s.tile, "has %d splats; the manifest refers to %d", has, s.start+s.count)
	} else {
		err = read(tile.Reader)
	}
	return errors.Join(err, c.tiles.release(tile))
}

// spanOf returns the index of the span that the number lies in.
func spanOf(spans []span, number int) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].first+spans[i].count > number })
}

// countFrom returns n numbers in a row.
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

// missing says whose fault it is that a tile cannot be opened.
func missing(tile string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return input.Errorf(tile, "is missing")
	}
	return fmt.Errorf("open tile %s: %w", input.Quote(tile), err)
}
