package gaussian

import (
	"context"
	"errors"
	"fmt"
)

// merged is a source with the Gaussians of several sources.
type merged struct {
	sources []Source
	levels  []int
	degree  int
}

// Merge returns a source with the Gaussians of all sources, one source after the other. If all
// sources have the same number of levels, the result has this number too. Otherwise it has only
// the finest level, because coarse and fine levels do not match. Its degree is the highest
// degree of the sources. Closing it closes all sources.
func Merge(sources ...Source) Source {
	if len(sources) == 1 {
		return sources[0]
	}
	m := &merged{sources: sources}
	count := len(sources[0].Levels())
	for _, s := range sources {
		m.degree = max(m.degree, s.Degree())
		if len(s.Levels()) != count {
			count = 1
		}
	}
	m.levels = make([]int, count)
	for _, s := range sources {
		for level, n := range s.Levels()[:count] {
			m.levels[level] += n
		}
	}
	return m
}

// Levels implements Source.
func (m *merged) Levels() []int { return m.levels }

// Degree implements Source.
func (m *merged) Degree() int { return m.degree }

// Positions implements Source.
func (m *merged) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	if len(p) != 3*m.levels[level] {
		return fmt.Errorf("read positions of level %d: room for %d values, want %d", level, len(p), 3*m.levels[level])
	}
	before := 0
	for _, s := range m.sources {
		n := s.Levels()[level]
		report := func(done int) {
			if progress != nil {
				progress(before + done)
			}
		}
		if err := s.Positions(ctx, level, p[3*before:3*(before+n)], report); err != nil {
			return err
		}
		before += n
	}
	return nil
}

// Read implements Source. It reads all Gaussians of one source with one call, because that is
// fastest. It compares each index with each source, so it is meant for a few sources.
func (m *merged) Read(ctx context.Context, level int, indices []uint32, c *Cloud) error {
	c.Resize(len(indices), m.degree)
	var part Cloud
	var inner []uint32
	var slots []int
	first, found := 0, 0
	for _, s := range m.sources {
		n := s.Levels()[level]
		inner, slots = inner[:0], slots[:0]
		for i, index := range indices {
			if at := int64(index) - int64(first); at >= 0 && at < int64(n) {
				inner, slots = append(inner, uint32(at)), append(slots, i)
			}
		}
		first, found = first+n, found+len(inner)
		if len(inner) == 0 {
			continue
		}
		if err := s.Read(ctx, level, inner, &part); err != nil {
			return err
		}
		for i, slot := range slots {
			c.Set(slot, &part, i)
		}
	}
	if found < len(indices) {
		return fmt.Errorf("read level %d: an index is not among %d", level, first)
	}
	return ctx.Err()
}

// Environment implements Source. The result has the highest degree of the environments.
func (m *merged) Environment(ctx context.Context, c *Cloud) error {
	var parts []Cloud
	count, degree := 0, 0
	for _, s := range m.sources {
		var part Cloud
		if err := s.Environment(ctx, &part); err != nil {
			return err
		}
		parts = append(parts, part)
		count, degree = count+part.Len(), max(degree, part.Degree)
	}
	c.Resize(count, degree)
	at := 0
	for _, part := range parts {
		for i := range part.Len() {
			c.Set(at, &part, i)
			at++
		}
	}
	return nil
}

// Close implements Source.
func (m *merged) Close() error {
	var errs []error
	for _, s := range m.sources {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
