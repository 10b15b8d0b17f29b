package sog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"portico/splat/gaussian"
)

// Positions implements gaussian.Source. It decodes only the images of positions.
func (r *Reader) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	if len(p) != 3*r.counts[level] {
		return fmt.Errorf("read positions of level %d: room for %d values, want %d", level, len(p), 3*r.counts[level])
	}
	parts, done := r.levels[level], 0
	for len(parts) > 0 {
		n := countSameFile(parts)
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

// countSameFile returns the number of parts at the start that are in the same file.
func countSameFile(parts []part) int {
	n := slices.IndexFunc(parts, func(p part) bool { return p.file != parts[0].file })
	if n < 0 {
		return len(parts)
	}
	return n
}

// readPositions sets the positions of parts of one file, and calls done for every block.
func (r *Reader) readPositions(ctx context.Context, parts []part, p []float32, done func(more int)) error {
	file := int(parts[0].file)
	m, at, err := r.readManifest(ctx, file)
	if err != nil {
		return err
	}
	if err := r.checkCount(m, file); err != nil {
		return errors.Join(err, at.close())
	}
	values, err := m.readPositions(ctx, at.location, r.files[file])
	if err = errors.Join(err, at.close()); err != nil {
		return err
	}
	d := m.dequantiser()
	for _, part := range parts {
		for i := int64(0); i < part.count; i += contextInterval {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			end := min(i+contextInterval, part.count)
			for k := i; k < end; k++ {
				d.setPosition(values[3*(part.offset+k):], p[3*(part.first+k):])
			}
			done(int(end - i))
		}
	}
	return nil
}

// chunk returns the decoded chunk of file i. Chunks are immutable, so several goroutines
// may use one concurrently.
func (r *Reader) chunk(ctx context.Context, i int) (*chunk, error) {
	return r.cache.chunk(ctx, i, func(ctx context.Context) (*chunk, error) {
		m, at, err := r.readManifest(ctx, i)
		if err != nil {
			return nil, err
		}
		if err := r.checkCount(m, i); err != nil {
			return nil, errors.Join(err, at.close())
		}
		c, err := readChunk(ctx, m, at.location, r.files[i])
		return c, errors.Join(err, at.close())
	})
}

// Read implements gaussian.Source. It decodes each chunk at most once, whatever the order
// of the indices.
func (r *Reader) Read(ctx context.Context, level int, indices []uint32, c *gaussian.Cloud) error {
	c.Resize(len(indices), r.degree)
	// One group after the other, so that no chunk is decoded, evicted and decoded again.
	groups, err := r.groupByPart(level, indices)
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
		picker := newGaussianCopier(chunk)
		for k, place := range group {
			if k%contextInterval == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			picker.copyGaussian(c, int(place), int(p.offset+int64(indices[place])-p.first))
		}
	}
	return nil
}

// groupByPart returns, for each part of a level, the positions in indices of the part's Gaussians.
// A part without requested Gaussians has an empty group.
func (r *Reader) groupByPart(level int, indices []uint32) ([][]uint32, error) {
	parts := r.levels[level]
	// Neighbours are often in the same part, so the last part is tried before a
	// search. A counting sort then fills the groups, which share one slice.
	sizes, partOf := make([]int, len(parts)), make([]int32, len(indices))
	last := 0
	for place, index := range indices {
		if int64(index) >= int64(r.counts[level]) {
			return nil, fmt.Errorf("read level %d: no Gaussian %d among %d", level, index, r.counts[level])
		}
		if p := parts[last]; int64(index) < p.first || int64(index) >= p.first+p.count {
			found, exact := slices.BinarySearchFunc(parts, int64(index), func(p part, n int64) int { return int(p.first - n) })
			if last = found; !exact {
				last--
			}
		}
		partOf[place] = int32(last)
		sizes[last]++
	}
	groups, all := make([][]uint32, len(parts)), make([]uint32, 0, len(indices))
	for i, size := range sizes {
		groups[i] = all[len(all) : len(all) : len(all)+size]
		all = all[:len(all)+size]
	}
	for place, i := range partOf {
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
	picker := newGaussianCopier(chunk)
	for i := range c.Len() {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		picker.copyGaussian(c, i, i)
	}
	return nil
}
