package edit

import (
	"context"
	"math"

	"portico/splat/gaussian"
)

// transformed is a source whose Gaussians are transformed, including the environment.
type transformed struct {
	gaussian.Source

	by *gaussian.Similarity
}

// Translate moves a capture by an offset in metres, in coordinates with y up.
func Translate(source gaussian.Source, offset [3]float64) gaussian.Source {
	return &transformed{source, gaussian.NewSimilarity(1, [4]float32{0, 0, 0, 1}, halfTurn(offset))}
}

// Scale scales a capture about the origin by a positive factor.
func Scale(source gaussian.Source, factor float64) gaussian.Source {
	return &transformed{source, gaussian.NewSimilarity(factor, [4]float32{0, 0, 0, 1}, [3]float64{})}
}

// Rotate rotates a capture about the origin by angles in degrees, first about x, then about y
// and then about z, in coordinates with y up.
func Rotate(source gaussian.Source, degrees [3]float64) gaussian.Source {
	q := [4]float64{0, 0, 0, 1}
	for axis, angle := range degrees {
		// A quaternion has half of the angle.
		sin, cos := math.Sincos(angle * math.Pi / 360)
		about := [4]float64{0, 0, 0, cos}
		about[axis] = sin
		q = multiply(about, q)
	}
	// The coordinates of viewers and of package gaussian differ by half a turn about z. Conjugating
	// a quaternion by this half turn changes the signs of x and y.
	rotation := [4]float32{float32(-q[0]), float32(-q[1]), float32(q[2]), float32(q[3])}
	return &transformed{source, gaussian.NewSimilarity(1, rotation, [3]float64{})}
}

// halfTurn converts a vector between coordinates with y up and the axes of package gaussian, in
// both directions: it is half a turn about z.
func halfTurn(v [3]float64) [3]float64 { return [3]float64{-v[0], -v[1], v[2]} }

// multiply returns the quaternion of the rotation by b and then by a.
func multiply(a, b [4]float64) [4]float64 {
	return [4]float64{
		a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1],
		a[3]*b[1] - a[0]*b[2] + a[1]*b[3] + a[2]*b[0],
		a[3]*b[2] + a[0]*b[1] - a[1]*b[0] + a[2]*b[3],
		a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2],
	}
}

// Positions implements gaussian.Source. Positions that LeaveOut has marked stay marked (see
// Similarity.ApplyPositions).
func (t *transformed) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	if err := t.Source.Positions(ctx, level, p, progress); err != nil {
		return err
	}
	t.by.ApplyPositions(p)
	return nil
}

// Read implements gaussian.Source.
func (t *transformed) Read(ctx context.Context, level int, indices []uint32, c *gaussian.Cloud) error {
	if err := t.Source.Read(ctx, level, indices, c); err != nil {
		return err
	}
	t.by.Apply(c)
	return nil
}

// Environment implements gaussian.Source.
func (t *transformed) Environment(ctx context.Context, c *gaussian.Cloud) error {
	if err := t.Source.Environment(ctx, c); err != nil {
		return err
	}
	t.by.Apply(c)
	return nil
}
