package voxel

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of finding the ground.
const (
	maxSamples = 200_000
	// flatness is how thin a Gaussian must be, relative to its middle axis, to be a
	// piece of a surface.
	flatness = 0.5
	// aligned is the cosine of the largest angle between the normal of such a piece and
	// an axis that it counts for, 20 degrees.
	aligned = 0.94
	// heights is the number of bins that an axis is divided into.
	heights = 64
	// trustY is how much more the ground has to speak for another axis than for y,
	// and for a capture that is upside down than for one that is not.
	trustY, trustUpright = 1.5, 2.0
)

// surface is what the flat Gaussians that face along an axis have in common.
type surface struct {
	weight float64 // share of the area of all of them
	bins   [heights]float64
}

// orientation is what was found about the ground.
type orientation struct {
	// up is an axis, with its sign.
	up [3]float64
	// low and high are the box of nearly all centres.
	low, high [3]float64
}

// upright reports whether y is up.
func (o orientation) upright() bool { return o.up[1] > 0 }

// diagonal returns the size of the capture.
func (o orientation) diagonal() float64 {
	return math.Hypot(math.Hypot(o.high[0]-o.low[0], o.high[1]-o.low[1]), o.high[2]-o.low[2])
}

// orient finds the ground: the axis along which most flat Gaussians face at one height, in
// a capture that is lower than it is wide, with the other Gaussians above. Captures of
// which no axis stands out keep y up.
func (g *gaussians) orient() (o orientation) {
	o.up = [3]float64{0, 1, 0}
	if g.len() == 0 {
		return o
	}
	o.low, o.high = g.middle(0.01)
	surfaces, all := g.surfaces(o)
	best, axis := 0.0, 1
	for k, s := range surfaces {
		score := s.weight * s.peak() * math.Sqrt(1/max(o.high[k]-o.low[k], 1e-9))
		if k == 1 {
			score *= trustY
		}
		if score > best {
			best, axis = score, k
		}
	}
	o.up = [3]float64{}
	o.up[axis] = 1
	if below, above := all[axis].around(surfaces[axis].peakAt()); below > trustUpright*above {
		o.up[axis] = -1
	}
	return o
}

// samples calls visit for all Gaussians, or for many of them without a pattern: files have
// their own.
func (g *gaussians) samples(visit func(i int)) {
	n := g.len()
	if n <= maxSamples {
		for i := range n {
			visit(i)
		}
		return
	}
	random := rand.New(rand.NewPCG(1, uint64(n))) //nolint:gosec // the same in each run
	for range maxSamples {
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

// surfaces returns the flat Gaussians that face along each axis, and all Gaussians in the
// bins of each axis.
func (g *gaussians) surfaces(o orientation) (facing, all [3]surface) {
	total := 0.0
	g.samples(func(i int) {
		thin, area := g.disc(i)
		area *= float64(g.opacities[i])
		p := g.position(i)
		var bin [3]int
		for k := range 3 {
			share := (float64(p[k]) - o.low[k]) / max(o.high[k]-o.low[k], 1e-9)
			bin[k] = int(max(0, min(heights-1, share*heights)))
			all[k].bins[bin[k]]++
		}
		if thin < 0 {
			return
		}
		total += area
		axes := g.axes(i)
		for k := range 3 {
			if n := axes[k][thin]; math.Abs(n) > aligned {
				facing[k].weight += area
				facing[k].bins[bin[k]] += area
			}
		}
	})
	for k := range 3 {
		facing[k].weight /= max(total, math.SmallestNonzeroFloat64)
	}
	return facing, all
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

// peak returns the largest share of the area in two neighbouring bins.
func (s *surface) peak() float64 {
	at, sum := s.peakAt(), 0.0
	for _, v := range s.bins {
		sum += v
	}
	if sum == 0 {
		return 0
	}
	return (s.bins[at] + s.bins[at+1]) / sum
}

// peakAt returns the first of the two neighbouring bins with the largest sum.
func (s *surface) peakAt() (at int) {
	for i := range heights - 1 {
		if s.bins[i]+s.bins[i+1] > s.bins[at]+s.bins[at+1] {
			at = i
		}
	}
	return at
}

// around returns the sums of the bins below and above the two of a peak.
func (s *surface) around(at int) (below, above float64) {
	for i, v := range s.bins {
		switch {
		case i < at-1:
			below += v
		case i > at+2:
			above += v
		}
	}
	return below, above
}
