package gaussian

import (
	"context"
	"fmt"
)

// contextInterval is the number of Gaussians between two checks of the context.
const contextInterval = 1 << 16

// MemorySource is a Source whose Gaussians are in memory. It is for small formats, which are
// read as a whole, and for tests.
type MemorySource struct {
	levels      []*Cloud
	environment *Cloud
	degree      int
}

// NewMemorySource returns a Source with these levels, the finest first. The environment may be nil.
// The clouds are not copied, so the caller must not change them. The source has the highest
// degree of the levels; missing coefficients of the other levels are zero.
func NewMemorySource(environment *Cloud, levels ...*Cloud) *MemorySource {
	m := &MemorySource{levels: levels, environment: environment}
	for _, level := range levels {
		m.degree = max(m.degree, level.Degree)
	}
	return m
}

// Levels implements Source.
func (m *MemorySource) Levels() []int {
	counts := make([]int, len(m.levels))
	for i, level := range m.levels {
		counts[i] = level.Len()
	}
	return counts
}

// Degree implements Source. It is the highest degree of the levels.
func (m *MemorySource) Degree() int { return m.degree }

// Positions copies the positions of a level to p.
func (m *MemorySource) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	from := m.levels[level].Positions
	if len(p) != len(from) {
		return fmt.Errorf("read positions of level %d: room for %d values, want %d", level, len(p), len(from))
	}
	copy(p, from)
	if progress != nil {
		progress(len(p) / 3)
	}
	return ctx.Err()
}

// Read copies the Gaussians with these indices to c. An index out of range is an error.
func (m *MemorySource) Read(ctx context.Context, level int, indices []uint32, c *Cloud) error {
	from := m.levels[level]
	c.Resize(len(indices), m.degree)
	for i, index := range indices {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if int64(index) >= int64(from.Len()) {
			return fmt.Errorf("read level %d: no Gaussian %d among %d", level, index, from.Len())
		}
		c.Set(i, from, int(index))
	}
	return nil
}

// Environment copies the environment to c, in its own degree.
func (m *MemorySource) Environment(ctx context.Context, c *Cloud) error {
	if m.environment == nil {
		c.Resize(0, 0)
		return ctx.Err()
	}
	c.Resize(m.environment.Len(), m.environment.Degree)
	for i := range m.environment.Len() {
		c.Set(i, m.environment, i)
	}
	return ctx.Err()
}

// Close does nothing, because the clouds belong to the caller.
func (m *MemorySource) Close() error { return nil }

// Set sets Gaussian i of c to Gaussian j of from. If the degrees differ, it copies the
// coefficients of the lower degree and sets the others to zero.
func (c *Cloud) Set(i int, from *Cloud, j int) {
	copy(c.Positions[3*i:3*i+3], from.Positions[3*j:])
	copy(c.Rotations[4*i:4*i+4], from.Rotations[4*j:])
	copy(c.Scales[3*i:3*i+3], from.Scales[3*j:])
	copy(c.Colours[3*i:3*i+3], from.Colours[3*j:])
	c.Opacities[i] = from.Opacities[j]
	have, want := Coefficients(from.Degree), Coefficients(c.Degree)
	both := min(have, want)
	for channel := range 3 {
		to := c.Harmonics[(3*i+channel)*want:][:want]
		copy(to[:both], from.Harmonics[(3*j+channel)*have:])
		clear(to[both:])
	}
}
