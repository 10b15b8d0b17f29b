package sog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"portico/splat/gaussian"
)

// Positions implements gaussian.Source. It decodes the images of positions only.
func (r *Reader) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	if len(p) != 3*r.counts[level] {
		return fmt.Errorf("read positions of level %d: room for %d values, want %d", level, len(p), 3*r.counts[level])
	}
	parts, done := r.levels[level], 0
	for len(parts) > 0 {
		n := ofOneFile(parts)
		err := r.readPositions(ctx, parts[:n], p, func(more int) {
			if done += more; progress != nil {
				progress(done)
			}
		})
		if err != nil {
			return err
		}
		parts = parts[n:]
	}
	return nil
}

// ofOneFile returns how many parts at the start are of the same file.
func ofOneFile(parts []part) int {
	n := slices.IndexFunc(parts, func(p part) bool { return p.file != parts[0].file })
	if n < 0 {
		return len(parts)
	}
	return n
}

// readPositions sets the positions of parts of one file, and tells of every block
// that is done.
func (r *Reader) readPositions(ctx context.Context, parts []part, p []float32, done func(more int)) error {
	file := int(parts[0].file)
	m, at, err := r.meta(ctx, file)
	if err != nil {
		return err
	}
	if err := r.checkCount(m, file); err != nil {
		return errors.Join(err, at.close())
	}
	values, err := m.readPositions(ctx, at.place, r.files[file])
	if err = errors.Join(err, at.close()); err != nil {
		return err
	}
	d := m.dequantiser()
	for _, part := range parts {
		for i := int64(0); i < part.count; i += block {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			end := min(i+block, part.count)
			for k := i; k < end; k++ {
				d.position(values[3*(part.offset+k):], p[3*(part.from+k):])
			}
			done(int(end - i))
		}
	}
	return nil
}

// chunk returns the chunk of the i-th file, decoded. It does not change, so any
// number of goroutines may use it.
func (r *Reader) chunk(ctx context.Context, i int) (*chunk, error) {
	return r.cache.chunk(ctx, i, func(ctx context.Context) (*chunk, error) {
		m, at, err := r.meta(ctx, i)
		if err != nil {
			return nil, err
		}
		if err := r.checkCount(m, i); err != nil {
			return nil, errors.Join(err, at.close())
		}
		c, err := readChunk(ctx, m, at.place, r.files[i])
		return c, errors.Join(err, at.close())
	})
}

// Read implements gaussian.Source. Each chunk is decoded at most once, however
// the numbers are mixed.
func (r *Reader) Read(ctx context.Context, level int, numbers []uint32, c *gaussian.Cloud) error {
	c.Resize(len(numbers), r.degree)
	groups, err := r.group(level, numbers)
	if err != nil {
		return err
	}
	for i, group := range groups {
		if len(group) == 0 {
			continue
		}
		p := r.levels[level][i]
		chunk, err := r.chunk(ctx, int(p.file))
		if err != nil {
			return err
		}
		picker := newPicker(chunk)
		for k, place := range group {
			if k%block == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			picker.pick(c, int(place), int(p.offset+int64(numbers[place])-p.from))
		}
	}
	return nil
}

// group returns, for each part of a level, the places at which numbers ask for a
// Gaussian of it.
func (r *Reader) group(level int, numbers []uint32) ([][]uint32, error) {
	parts := r.levels[level]
	// Neighbours are often of the same part, so the last one is tried first. The
	// groups then share one slice: a counting sort.
	sizes, of := make([]int, len(parts)), make([]int32, len(numbers))
	last := 0
	for place, number := range numbers {
		if int64(number) >= int64(r.counts[level]) {
			return nil, fmt.Errorf("read level %d: no Gaussian %d among %d", level, number, r.counts[level])
		}
		if p := parts[last]; int64(number) < p.from || int64(number) >= p.from+p.count {
			found, exact := slices.BinarySearchFunc(parts, int64(number), func(p part, n int64) int { return int(p.from - n) })
			if last = found; !exact {
				last--
			}
		}
		of[place] = int32(last)
		sizes[last]++
	}
	groups, all := make([][]uint32, len(parts)), make([]uint32, 0, len(numbers))
	for i, size := range sizes {
		groups[i] = all[len(all) : len(all) : len(all)+size]
		all = all[:len(all)+size]
	}
	for place, i := range of {
		groups[i] = append(groups[i], uint32(place))
	}
	return groups, nil
}

// Environment implements gaussian.Source.
func (r *Reader) Environment(ctx context.Context, c *gaussian.Cloud) error {
	if r.environment == 0 {
		c.Resize(0, 0)
		return nil
	}
	chunk, err := r.chunk(ctx, len(r.files)-1)
	if err != nil {
		return err
	}
	c.Resize(int(chunk.Count), chunk.degree())
	picker := newPicker(chunk)
	for i := range c.Len() {
		if i%block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		picker.pick(c, i, i)
	}
	return nil
}
