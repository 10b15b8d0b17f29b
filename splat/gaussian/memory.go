package gaussian

import (
	"context"
	"fmt"
)

// block is how many Gaussians are copied between two looks at the context.
const block = 1 << 16

// Memory is a Source whose Gaussians are in memory: that of small formats, which
// are read whole, and of tests.
type Memory struct {
	levels      []*Cloud
	environment *Cloud
	degree      int
}

// NewMemory returns a Source of these levels, the finest first. The environment
// may be nil. The clouds are not copied and must not change any more. Where they
// differ in degree, the source has the highest of the levels, and the
// coefficients that a level lacks are zero.
func NewMemory(environment *Cloud, levels ...*Cloud) *Memory {
	m := &Memory{levels: levels, environment: environment}
	for _, level := range levels {
		m.degree = max(m.degree, level.Degree)
	}
	return m
}

// Levels returns how many Gaussians each level has.
func (m *Memory) Levels() []int {
	counts := make([]int, len(m.levels))
	for i, level := range m.levels {
		counts[i] = level.Len()
	}
	return counts
}

// Degree returns the highest degree of the levels.
func (m *Memory) Degree() int { return m.degree }

// Positions copies the positions of a level to p.
func (m *Memory) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
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

// Read copies the Gaussians with these numbers to c. A number that the level
// does not have is an error.
func (m *Memory) Read(ctx context.Context, level int, numbers []uint32, c *Cloud) error {
	from := m.levels[level]
	c.Resize(len(numbers), m.degree)
	for i, number := range numbers {
		if i%block == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if int64(number) >= int64(from.Len()) {
			return fmt.Errorf("read level %d: no Gaussian %d among %d", level, number, from.Len())
		}
		c.copy(i, from, int(number))
	}
	return nil
}

// Environment copies the Gaussians around the capture to c, in their own degree.
func (m *Memory) Environment(ctx context.Context, c *Cloud) error {
	if m.environment == nil {
		c.Resize(0, 0)
		return ctx.Err()
	}
	c.Resize(m.environment.Len(), m.environment.Degree)
	for i := range m.environment.Len() {
		c.copy(i, m.environment, i)
	}
	return ctx.Err()
}

// Close does nothing: the clouds are the caller's.
func (m *Memory) Close() error { return nil }

// copy sets the i-th Gaussian of c to the j-th of from. Of harmonics, each keeps
// the coefficients that both degrees have.
func (c *Cloud) copy(i int, from *Cloud, j int) {
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
