package voxel

import (
	"context"
	"math"

	"portico/splat/gaussian"
)

// readChunk is the number of Gaussians that are read at a time.
const readChunk = 1 << 16

// sigmas is how many standard deviations a Gaussian reaches along its own axes.
const sigmas = 3

// gaussians is a list of Gaussians with the values on which the density depends, in the
// coordinates of viewers. Each value has its own array, together 44 bytes for a Gaussian.
// Colours and harmonics, which take most of a capture, are not stored.
type gaussians struct {
	positions []float32 // x, y, z
	rotations []float32 // x, y, z, w
	scales    []float32 // logarithms of standard deviations
	opacities []float32
	// numbers are the numbers of the Gaussians in the level that was read, or nil if they are not
	// needed. filter does not update them.
	numbers []uint32
	// bounds is the box around the boxes of all Gaussians.
	bounds Bounds
}

func (g *gaussians) len() int { return len(g.opacities) }

func (g *gaussians) position(i int) [3]float32 { return [3]float32(g.positions[3*i:]) }

// readGaussians reads a level of the source, without invisible Gaussians. It calls progress
// with the share of the level that is read.
func readGaussians(ctx context.Context, source gaussian.Source, level int, progress func(float64)) (*gaussians, error) {
	g := newGaussians(source.Levels()[level])
	return g, g.read(ctx, source, level, progress)
}

// newGaussians returns an empty list with capacity for n Gaussians.
func newGaussians(n int) *gaussians {
	return &gaussians{
		positions: make([]float32, 0, 3*n), rotations: make([]float32, 0, 4*n), scales: make([]float32, 0, 3*n),
		opacities: make([]float32, 0, n), bounds: emptyBounds(),
	}
}

// read adds a level of the source.
func (g *gaussians) read(ctx context.Context, source gaussian.Source, level int, progress func(float64)) error {
	n := source.Levels()[level]
	var cloud gaussian.Cloud
	indices := make([]uint32, 0, min(n, readChunk))
	for first := 0; first < n; first += readChunk {
		indices = indices[:0]
		for i := first; i < min(n, first+readChunk); i++ {
			indices = append(indices, uint32(i))
		}
		if err := source.Read(ctx, level, indices, &cloud); err != nil {
			return err
		}
		g.add(&cloud, first)
		progress(float64(first+len(indices)) / float64(n))
	}
	return ctx.Err()
}

// add adds the visible Gaussians of a cloud. first is the number of the cloud's first Gaussian. add
// rotates them by half a turn about z, from the axes of a 3DGS PLY, y down, to the axes of viewers:
// (x, y, z) becomes (-x, -y, z).
func (g *gaussians) add(c *gaussian.Cloud, first int) {
	for i, alpha := range c.Opacities {
		if alpha <= 0 {
			continue
		}
		p, q, s := c.Positions[3*i:][:3], c.Rotations[4*i:][:4], c.Scales[3*i:][:3]
		g.positions = append(g.positions, -p[0], -p[1], p[2])
		// The product of the half turn, the quaternion (0, 0, 1, 0), and q.
		g.rotations = append(g.rotations, -q[1], q[0], q[3], -q[2])
		g.scales = append(g.scales, s...)
		g.opacities = append(g.opacities, alpha)
		if g.numbers != nil {
			g.numbers = append(g.numbers, uint32(first+i))
		}
		last := g.len() - 1
		half := g.extent(last)
		if isFinite(half) {
			g.bounds.grow(g.position(last), half)
		}
	}
}

// filter removes the Gaussians for which keep returns false, and computes the bounds again.
func (g *gaussians) filter(keep func(i int, half [3]float64) bool) {
	to := 0
	g.bounds = emptyBounds()
	for i := range g.opacities {
		half := g.extent(i)
		if !isFinite(half) || !keep(i, half) {
			continue
		}
		g.bounds.grow(g.position(i), half)
		copy(g.positions[3*to:3*to+3], g.positions[3*i:])
		copy(g.rotations[4*to:4*to+4], g.rotations[4*i:])
		copy(g.scales[3*to:3*to+3], g.scales[3*i:])
		g.opacities[to] = g.opacities[i]
		to++
	}
	g.positions, g.rotations = g.positions[:3*to], g.rotations[:4*to]
	g.scales, g.opacities = g.scales[:3*to], g.opacities[:to]
}

// extent returns half the size of the box around a Gaussian's ellipsoid of three standard
// deviations. The rotation is rounded to 32 bits, as in splat-transform.
func (g *gaussians) extent(i int) (half [3]float64) {
	m := g.axes(i)
	for k, s := range g.scales[3*i:][:3] {
		reach := sigmas * math.Exp(float64(s))
		for row := range 3 {
			half[row] += math.Abs(float64(float32(m[row][k])) * reach)
		}
	}
	return half
}

// axes returns the rotation of a Gaussian as a matrix, whose columns are its axes.
func (g *gaussians) axes(i int) [3][3]float64 {
	q := g.rotations[4*i:][:4]
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	scale := 1 / math.Sqrt(x*x+y*y+z*z+w*w)
	x, y, z, w = x*scale, y*scale, z*scale, w*scale
	return [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	}
}

// isFinite reports whether no coordinate is infinite or NaN.
func isFinite(v [3]float64) bool {
	sum := v[0] + v[1] + v[2]
	return !math.IsInf(sum, 0) && !math.IsNaN(sum)
}
