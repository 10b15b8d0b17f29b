package main

import (
	"math"

	"portico/splat/gaussian"
)

// none means no Gaussian.
const none = math.MaxUint32

// grid finds points near a position. It hashes points by cubes whose side is twice the
// search radius, so that a search visits eight cubes.
type grid struct {
	positions []float32
	side      float64
	first     []uint32 // last point added to each hash's list
	next      []uint32 // point added before each point to the same list
}

// newGrid returns a grid of the points for a search radius, which must be positive.
func newGrid(positions []float32, radius float64) *grid {
	n := len(positions) / 3
	size := 1
	for size < n {
		size *= 2
	}
	g := &grid{positions: positions, side: 2 * radius, first: make([]uint32, size), next: make([]uint32, n)}
	for i := range g.first {
		g.first[i] = none
	}
	for i := range n {
		var cube [3]int64
		for k := range cube {
			cube[k] = int64(math.Floor(float64(positions[3*i+k]) / g.side))
		}
		at := g.hash(cube)
		g.next[i], g.first[at] = g.first[at], uint32(i)
	}
	return g
}

// hash returns the index of a cube in first.
func (g *grid) hash(cube [3]int64) uint64 {
	h := uint64(cube[0])*0x9e3779b97f4a7c15 ^ uint64(cube[1])*0xc2b2ae3d27d4eb4f ^ uint64(cube[2])*0x165667b19e3779f9
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9 >> 32 & uint64(len(g.first)-1)
}

// forEachNear visits all points within the radius of a position along each axis. It may
// visit others too, and points several times.
func (g *grid) forEachNear(position []float32, visit func(i int)) {
	var low [3]int64
	for k := range low {
		low[k] = int64(math.Floor(float64(position[k])/g.side - 0.5))
	}
	for corner := range int64(8) {
		at := g.hash([3]int64{low[0] + corner&1, low[1] + corner>>1&1, low[2] + corner>>2})
		for i := g.first[at]; i != none; i = g.next[i] {
			visit(int(i))
		}
	}
}

// maxSteps is the maximum difference of matching positions along an axis, in steps of
// the stored 16-bit values. Writers that truncate are off by up to one step.
const maxSteps = 1.5

// scaleUnit is the difference of log-scales that counts like one step of position when
// several Gaussians are close together.
const scaleUnit = 0.02

// match returns the partner in the stream of every original Gaussian, or none, and the
// number of original Gaussians whose partner was taken already.
//
// The partner of a Gaussian is the nearest one by position and scale among those within maxSteps
// along each axis. Neighbours in a dense capture can be nearer than a step, so scales decide
// between them.
func match(original *gaussian.Cloud, s *stream) (partners []uint32, duplicates int) {
	radius := 0.0
	for i := range s.cloud.Len() {
		for k := range 3 {
			radius = max(radius, maxSteps*s.step(i, k))
		}
	}
	partners = make([]uint32, original.Len())
	taken := make([]bool, s.cloud.Len())
	g := newGrid(s.cloud.Positions, max(radius, math.SmallestNonzeroFloat32))
	for i := range partners {
		partners[i] = none
		best := math.Inf(1)
		g.forEachNear(original.Positions[3*i:3*i+3], func(j int) {
			if apart := s.distance(original, i, j); apart < best {
				best, partners[i] = apart, uint32(j)
			}
		})
		if j := partners[i]; j != none {
			if taken[j] {
				duplicates++
			}
			taken[j] = true
		}
	}
	return partners, duplicates
}

// distance returns the squared difference of two Gaussians by position and scale, in
// steps. It is infinite if they cannot match.
func (s *stream) distance(original *gaussian.Cloud, i, j int) float64 {
	sum := 0.0
	for k := range 3 {
		off := float64(original.Positions[3*i+k]-s.cloud.Positions[3*j+k]) / s.step(j, k)
		if math.Abs(off) > maxSteps {
			return math.Inf(1)
		}
		size := float64(original.Scales[3*i+k]-s.cloud.Scales[3*j+k]) / scaleUnit
		sum += off*off + size*size
	}
	return sum
}
