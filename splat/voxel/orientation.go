package voxel

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of finding the ground.
const (
	maxSamples = 200_000
	// maxPieces is the number of Gaussians that show where the ground is.
	maxPieces = 60_000
	// flatness is how thin a Gaussian must be, relative to its middle axis, to be a
	// piece of a surface.
	flatness = 0.5
	// heights is the number of bins that a direction is divided into.
	heights = 64
	// trustY is how much more the ground has to speak for another direction than for
	// one near y, and trustUpright for a capture that is upside down than for one that
	// is not.
	trustY, trustUpright = 1.5, 2.0
	// trustAxis is how much better floors and walls have to agree on a direction than on
	// the nearest axis: hills and roofs are tilted too, in captures that are not.
	trustAxis = 1.3
	// secondPlane is the share of the ground's area from which on another plane may be a
	// ceiling.
	secondPlane = 0.3
	// A sky is more than skyDistance times as far from the middle as denseShare of all
	// pieces, and its smallest extent is more than skyShare of its largest: half a sphere
	// has a half.
	denseShare, skyDistance, skyShare = 0.4, 5, 0.3
)

// The cosines and sines of angles between directions.
var (
	// facesCos is for a surface that faces a direction, 20 degrees.
	facesCos = math.Cos(20 * math.Pi / 180)
	// agreesCos is for normals of one surface, 10 degrees, and floorCos and wallSin are for
	// the floors and the walls of a direction, 7 degrees.
	agreesCos = math.Cos(10 * math.Pi / 180)
	floorCos  = math.Cos(7 * math.Pi / 180)
	wallSin   = math.Sin(7 * math.Pi / 180)
	// axisCos is for a direction that is taken for an axis, 6 degrees.
	axisCos = math.Cos(6 * math.Pi / 180)
	// uprightCos is for the largest tilt with which people walk, 35 degrees.
	uprightCos = math.Cos(35 * math.Pi / 180)
)

// orientation is what was found about the ground.
type orientation struct {
	// up is a unit vector: an axis, or the direction of a tilted capture.
	up [3]float64
	// low and high are the box of nearly all centres.
	low, high [3]float64
}

// upright reports whether up is y, or so near to it that people walk nevertheless.
func (o orientation) upright() bool { return o.up[1] > uprightCos }

// tilted reports whether up is no axis.
func (o orientation) tilted() bool { return math.Abs(o.up[nearestAxis(o.up)]) < 1 }

// diagonal returns the size of the capture.
func (o orientation) diagonal() float64 {
	return math.Hypot(math.Hypot(o.high[0]-o.low[0], o.high[1]-o.low[1]), o.high[2]-o.low[2])
}

// orient finds the ground: the direction that most flat Gaussians face at one height, in a
// capture that is lower than it is wide, with the other Gaussians above. Captures of which
// no direction stands out keep y up.
func (g *gaussians) orient() (o orientation) {
	o.up = axisVector(1)
	if g.len() == 0 {
		return o
	}
	o.low, o.high = g.middle(0.01)
	pieces := withoutSky(g.pieces())
	best := 0.0
	var ground aspect
	for _, d := range candidates(pieces) {
		seen := look(pieces, d)
		score := seen.facing.sum() * seen.facing.peak() * math.Sqrt(1/max(seen.extent, 1e-9))
		if math.Abs(d[1]) > uprightCos {
			score *= trustY
		}
		if score > best {
			best, o.up, ground = score, d, seen
		}
	}
	if axis := nearestAxis(o.up); o.up[axis] > axisCos {
		o.up = axisVector(axis)
	}
	if ground.upsideDown() {
		for k := range o.up {
			o.up[k] = 0 - o.up[k] // and not -0
		}
	}
	return o
}

// piece is a Gaussian as a piece of a surface, or of nothing if area is 0.
type piece struct {
	at, normal [3]float64
	area       float64
}

// pieces returns many Gaussians, not all of them flat.
func (g *gaussians) pieces() (all []piece) {
	add := func(i int) {
		p := piece{}
		thin, area := g.disc(i)
		for k, v := range g.position(i) {
			p.at[k] = float64(v)
		}
		if thin >= 0 {
			p.area = area * float64(g.opacities[i])
			axes := g.axes(i)
			for k := range 3 {
				p.normal[k] = axes[k][thin]
			}
		}
		all = append(all, p)
	}
	g.sample(maxPieces, add)
	return all
}

// withoutSky returns the pieces without a sky: what surrounds a capture on all sides, far
// outside its dense part. Trainers put it on a sphere, whose top faces up as a ground does,
// and whose size hides at which height the ground is.
func withoutSky(all []piece) []piece {
	if len(all) == 0 {
		return all
	}
	centre := centreOf(all)
	far := make([]float64, len(all))
	for i, p := range all {
		far[i] = math.Sqrt(squareBetween(p.at, centre))
	}
	limit := skyDistance * slices.Sorted(slices.Values(far))[int(denseShare*float64(len(far)))]
	var near, outer []piece
	for i, p := range all {
		if far[i] <= limit {
			near = append(near, p)
		} else {
			outer = append(outer, p)
		}
	}
	if len(outer) == 0 || !surrounds(outer) {
		return all
	}
	return near
}

// surrounds reports whether pieces are spread along all axes: a ground that goes on far away
// is not.
func surrounds(pieces []piece) bool {
	smallest, largest := math.Inf(1), 0.0
	for k := range 3 {
		at := along(pieces, k)
		skip := len(at) / 20
		extent := at[len(at)-1-skip] - at[skip]
		smallest, largest = min(smallest, extent), max(largest, extent)
	}
	return smallest > skyShare*largest
}

// centreOf returns the median of the places along each axis.
func centreOf(pieces []piece) (centre [3]float64) {
	for k := range centre {
		centre[k] = along(pieces, k)[len(pieces)/2]
	}
	return centre
}

// along returns the places of pieces along an axis, sorted.
func along(pieces []piece, axis int) []float64 {
	at := make([]float64, len(pieces))
	for i, p := range pieces {
		at[i] = p.at[axis]
	}
	slices.Sort(at)
	return at
}

// squareBetween returns the square of the distance between two places.
func squareBetween(a, b [3]float64) float64 {
	d := [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
	return dot(d, d)
}

// samples calls visit for all Gaussians, or for many of them without a pattern.
func (g *gaussians) samples(visit func(i int)) { g.sample(maxSamples, visit) }

// sample is samples with a maximum. Files have patterns of their own.
func (g *gaussians) sample(most int, visit func(i int)) {
	n := g.len()
	if n <= most {
		for i := range n {
			visit(i)
		}
		return
	}
	random := rand.New(rand.NewPCG(1, uint64(n))) //nolint:gosec // the same in each run
	for range most {
		visit(random.IntN(n))
	}
}

// middle returns the box of the centres without the given share at each end of each axis.
func (g *gaussians) middle(share float64) (low, high [3]float64) {
	values := make([]float32, 0, min(g.len(), maxSamples))
	for k := range 3 {
		values = values[:0]
		g.samples(func(i int) { values = append(values, g.positions[3*i+k]) })
		slices.Sort(values)
		skip := int(share * float64(len(values)))
		low[k], high[k] = float64(values[skip]), float64(values[len(values)-1-skip])
	}
	return low, high
}

// disc returns the axis of a flat Gaussian that is its normal, and the area across; -1
// for a Gaussian that is not flat.
func (g *gaussians) disc(i int) (thin int, area float64) {
	s := g.scales[3*i:][:3]
	for k := range 3 {
		if s[k] < s[thin] {
			thin = k
		}
	}
	one, other := s[(thin+1)%3], s[(thin+2)%3]
	// Large Gaussians are the sky and the haze around a capture.
	area = min(1, math.Exp(float64(one+other)))
	if float64(s[thin]) > float64(min(one, other))+math.Log(flatness) {
		return -1, area
	}
	return thin, area
}
