package gaussian

import "context"

// limited is a source with a limited degree.
type limited struct {
	Source

	degree int
}

// LimitDegree returns the source without the harmonics above a degree, which most formats cannot
// store. Closing the result closes the source.
func LimitDegree(source Source, degree int) Source {
	if source.Degree() <= degree {
		return source
	}
	return &limited{source, degree}
}

// Degree implements Source.
func (l *limited) Degree() int { return l.degree }

// Read implements Source.
func (l *limited) Read(ctx context.Context, level int, indices []uint32, c *Cloud) error {
	if err := l.Source.Read(ctx, level, indices, c); err != nil {
		return err
	}
	c.limitDegree(l.degree)
	return nil
}

// Environment implements Source.
func (l *limited) Environment(ctx context.Context, c *Cloud) error {
	if err := l.Source.Environment(ctx, c); err != nil {
		return err
	}
	c.limitDegree(l.degree)
	return nil
}

// limitDegree removes the harmonics above a degree in place. Channels only move towards the
// front, so a copy never overwrites a channel that has not been copied yet.
func (c *Cloud) limitDegree(degree int) {
	if c.Degree <= degree {
		return
	}
	have, want := Coefficients(c.Degree), Coefficients(degree)
	for channel := range 3 * c.Len() {
		copy(c.Harmonics[channel*want:(channel+1)*want], c.Harmonics[channel*have:])
	}
	c.Harmonics, c.Degree = c.Harmonics[:3*want*c.Len()], degree
}
