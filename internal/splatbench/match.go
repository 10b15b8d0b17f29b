package main

import (
	"math"

	"portico/splat/gaussian"
)

// none is no Gaussian.
const none = math.MaxUint32

// grid finds points that lie near a place: it remembers them by cubes whose side
// is twice the distance that is looked in, so that eight have to be looked at.
type grid struct {
	positions []float32
	side      float64
	first     []uint32 // by hash, the last point that fell there
	next      []uint32 // by point, the one that fell there before
}

// newGrid remembers the points, for distances of up to reach, which is more than 0.
func newGrid(positions []float32, reach float64) *grid {
	n := len(positions) / 3
	size := 1
	for size < n {
		size *= 2
	}
	g := &grid{positions: positions, side: 2 * reach, first: make([]uint32, size), next: make([]uint32, n)}
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

// hash spreads the cubes over the table.
func (g *grid) hash(cube [3]int64) uint64 {
	h := uint64(cube[0])*0x9e3779b97f4a7c15 ^ uint64(cube[1])*0xc2b2ae3d27d4eb4f ^ uint64(cube[2])*0x165667b19e3779f9
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9 >> 32 & uint64(len(g.first)-1)
}

// near visits all points within reach of the position along each axis, and some
// that are farther away or that it has visited already.
func (g *grid) near(position []float32, visit func(i int)) {
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

// tolerance is how many 16-bit steps a stored position may be off along an axis
// for two Gaussians to be the same. Who truncates is off by up to one.
const tolerance = 1.5

// likeness is the log-scale difference that counts as much as a step of position
// when several Gaussians lie close together.
const likeness = 0.02

// match returns for every Gaussian of the original which one of the stream it has
// become, or none, and how many of the stream have been taken twice.
func match(original *gaussian.Cloud, s *stream) (partners []uint32, twice int) {
	reach := 0.0
	for i := range s.cloud.Len() {
		for k := range 3 {
			reach = max(reach, tolerance*s.step(i, k))
		}
	}
	partners = make([]uint32, original.Len())
	taken := make([]bool, s.cloud.Len())
	g := newGrid(s.cloud.Positions, max(reach, math.SmallestNonzeroFloat32))
	for i := range partners {
		partners[i] = none
		best := math.Inf(1)
		g.near(original.Positions[3*i:3*i+3], func(j int) {
			if apart := s.apart(original, i, j); apart < best {
				best, partners[i] = apart, uint32(j)
			}
		})
		if j := partners[i]; j != none {
			if taken[j] {
				twice++
			}
			taken[j] = true
		}
	}
	return partners, twice
}

// apart tells how unlike two Gaussians are, by position and size: the square of a
// number of steps, infinite when they cannot be the same.
func (s *stream) apart(original *gaussian.Cloud, i, j int) float64 {
	sum := 0.0
	for k := range 3 {
		off := float64(original.Positions[3*i+k]-s.cloud.Positions[3*j+k]) / s.step(j, k)
		if math.Abs(off) > tolerance {
			return math.Inf(1)
		}
		size := float64(original.Scales[3*i+k]-s.cloud.Scales[3*j+k]) / likeness
		sum += off*off + size*size
	}
	return sum
}
