package voxel

import (
	"context"
	"math"

	"portico/splat/gaussian"
)

// readChunk is the number of Gaussians that are read at once.
const readChunk = 1 << 16

// sigmas is how many standard deviations a Gaussian reaches along its own axes.
const sigmas = 3

// gaussians holds what density depends on, in the coordinates of viewers. Each value has an
// array of its own, 44 bytes in all for a Gaussian: colours and harmonics, which take most of a
// capture, are never kept.
type gaussians struct {
	positions []float32 // x, y, z
	rotations []float32 // x, y, z, w
	scales    []float32 // logarithms of standard deviations
	opacities []float32
	// numbers are the places in the level that was read. They are nil if nobody needs them;
	// keep does not maintain them.
	numbers []uint32
	// bounds is the box around everything that a Gaussian reaches.
	bounds Bounds
}

func (g *gaussians) len() int { return len(g.opacities) }

func (g *gaussians) position(i int) [3]float32 { return [3]float32(g.positions[3*i:]) }

// readGaussians reads a level of the source, without invisible Gaussians. Progress is
// called with the share that is done.
func readGaussians(ctx context.Context, source gaussian.Source, level int, progress func(float64)) (*gaussians, error) {
	g := newGaussians(source.Levels()[level])
	return g, g.read(ctx, source, level, progress)
}

// newGaussians returns an empty list with room for n.
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

// add adds the visible Gaussians of a cloud, of which the first has this number. It turns them
// half around z: viewers show the data of a 3DGS PLY, whose y points down, this way.
func (g *gaussians) add(c *gaussian.Cloud, first int) {
	for i, alpha := range c.Opacities {
		if alpha <= 0 {
			continue
		}
		p, q, s := c.Positions[3*i:][:3], c.Rotations[4*i:][:4], c.Scales[3*i:][:3]
		g.positions = append(g.positions, -p[0], -p[1], p[2])
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

// keep removes the Gaussians that keep refuses, and measures the bounds anew.
func (g *gaussians) keep(keep func(i int, half [3]float64) bool) {
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

// extent returns half the size of the box around a Gaussian's ellipsoid of three
// standard deviations. The reference rounds the rotation to 32 bits, and so does this.
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

func isFinite(v [3]float64) bool {
	sum := v[0] + v[1] + v[2]
	return !math.IsInf(sum, 0) && !math.IsNaN(sum)
}
