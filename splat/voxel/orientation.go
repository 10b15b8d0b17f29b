package voxel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// The limits and thresholds of finding the ground.
const (
	maxSamples = 200_000
	// maxPieces is the number of Gaussians that show where the ground is.
	maxPieces = 60_000
	// flatness is how thin a Gaussian must be, relative to its middle axis, to be a
	// piece of a surface.
	flatness = 0.5
	// heights is the number of bins that a direction is divided into.
	heights = 64
	// trustAxis and trustWalls are the factors by which floors and walls, and the walls alone, must
	// agree better with a direction than with the nearest axis: captures that are not tilted also
	// contain hills and roofs.
	trustAxis, trustWalls = 1.3, 0.9
	// mostClarity limits how much more likely an axis is because it is clear which end is up.
	mostClarity = 5
	// Two large parallel surfaces without clear furniture are rather walls than floor and ceiling.
	pairClarity, pairOdds = 20, 0.02
	// Sure is the certainty from which up counts as found.
	Sure = 0.85
	// minVisible is the opacity below which a Gaussian does not show what a capture is, unless
	// nearly all Gaussians are so faint.
	minVisible = 0.1
	// A sky is farther from the middle than skyDistance times the distance within which
	// denseShare of all pieces are. Its smallest extent is more than skyShare of its largest;
	// for half a sphere this ratio is one half.
	denseShare, skyDistance, skyShare = 0.4, 5, 0.3
)

// The cosines and sines of angles between directions.
var (
	// facesCos: a surface faces a direction within 20 degrees of its normal.
	facesCos = math.Cos(20 * math.Pi / 180)
	// agreesCos: normals within 10 degrees belong to one surface.
	agreesCos = math.Cos(10 * math.Pi / 180)
	// floorCos and wallSin: floors and walls are within 7 degrees of horizontal and vertical.
	floorCos = math.Cos(7 * math.Pi / 180)
	wallSin  = math.Sin(7 * math.Pi / 180)
	// axisCos: a direction within 6 degrees of an axis is taken for the axis.
	axisCos = math.Cos(6 * math.Pi / 180)
	// slopeCos: the ground of a hill is within 20 degrees of horizontal.
	slopeCos = math.Cos(20 * math.Pi / 180)
	// uprightCos: visitors can walk in a capture that is tilted by up to 35 degrees.
	uprightCos = math.Cos(35 * math.Pi / 180)
)

// orientation is the orientation and the size of a capture.
type orientation struct {
	// up is a unit vector: an axis, or the direction of a tilted capture.
	up [3]float64
	// low and high are the corners of the box around nearly all centres.
	low, high [3]float64
	// certainty is how sure up is, from 0 to 1. Below Sure, up is the direction of the file's axes.
	certainty float64
	// room is the height of a closed room in metres; 0 for anything else.
	room float64
}

// isUpright reports whether up is near enough to y for walking.
func (o orientation) isUpright() bool { return o.up[1] > uprightCos }

// isTilted reports whether up is not an axis.
func (o orientation) isTilted() bool { return math.Abs(o.up[nearestAxis(o.up)]) < 1 }

// diagonal returns the length of the box's diagonal.
func (o orientation) diagonal() float64 {
	return math.Hypot(math.Hypot(o.high[0]-o.low[0], o.high[1]-o.low[1]), o.high[2]-o.low[2])
}

// orient finds the direction that is up, and how sure that is. The candidates are compared by the
// odds of their directions before the capture is seen (see odds), the surfaces that face them (see
// profile.score), and what stands on these surfaces (see profile.upOdds). If no direction is sure,
// up is the direction own, which the axes of the file give.
func (g *gaussians) orient(own [3]float64, declared bool) (o orientation) {
	o.up = own
	if g.len() == 0 {
		return o
	}
	o.low, o.high = g.middleBox(0.01)
	pieces := withoutSky(g.pieces())
	var all []hypothesis
	best := hypothesis{up: own}
	for _, c := range candidates(pieces) {
		seen := profileOf(pieces, c.facing)
		score, up := seen.score(), seen.upOdds()
		// A ground with things on it is more likely than a wall between others.
		clarity, room := max(up, 1/up), seen.room()
		score *= min(mostClarity, math.Sqrt(clarity))
		if math.Abs(dot(c.up, own)) < uprightCos {
			isFurnished := seen.paired && clarity >= pairClarity
			switch {
			case isFurnished:
			case seen.isThin():
				continue
			case seen.paired:
				score *= pairOdds
			}
		}
		for _, h := range []hypothesis{{c.up, score * up / (1 + up), room}, {opposite(c.up), score / (1 + up), room}} {
			h.weight *= odds(h.up, own, declared)
			if all = append(all, h); h.weight > best.weight {
				best = h
			}
		}
	}
	if best.weight == 0 {
		return o
	}
	slices.SortStableFunc(all, func(a, b hypothesis) int { return cmp.Compare(b.weight, a.weight) })
	o.certainty = best.certainty(all)
	if o.certainty >= Sure {
		o.up = snapped(best.up)
	}
	if i := slices.IndexFunc(all, func(h hypothesis) bool { return dot(h.up, o.up) > axisCos }); i >= 0 {
		o.room = all[i].room
	}
	return o
}

// hypothesis is a direction that may be up.
type hypothesis struct {
	up     [3]float64
	weight float64 // compared with other hypotheses
	room   float64 // the height of a closed room in metres, or 0
}

// certainty returns how sure a hypothesis is among all, which have decreasing weights.
func (best hypothesis) certainty(all []hypothesis) float64 {
	near, others := 0.0, 0.0
	for i, h := range all {
		switch {
		// The normal of a floor is often nearly an axis. Then the two are one direction.
		case slices.ContainsFunc(all[:i], func(better hypothesis) bool { return dot(h.up, better.up) > axisCos }):
		case dot(h.up, best.up) > uprightCos:
			near += h.weight
		default:
			others += h.weight
		}
	}
	return near / (near + others)
}

// odds returns the odds of a direction before the capture is seen, relative to the direction own of
// the file's axes. A file that declares its axes is rarely wrong. Many programs have y or z up.
func odds(up, own [3]float64, declared bool) (odds float64) {
	switch {
	case dot(up, own) > uprightCos:
		return 1
	case dot(up, own) < -uprightCos, up[2] > uprightCos:
		odds = 0.3
	case up[2] < -uprightCos:
		odds = 0.1
	default:
		odds = 0.03
	}
	if declared {
		odds /= 10
	}
	return odds
}

func opposite(d [3]float64) [3]float64 {
	for k := range d {
		d[k] = 0 - d[k] // 0 instead of -0
	}
	return d
}

// snapped returns the axis for a direction that is nearly an axis, and the direction otherwise.
func snapped(d [3]float64) [3]float64 {
	axis := nearestAxis(d)
	if math.Abs(d[axis]) <= axisCos {
		return d
	}
	up := axisVector(axis)
	if d[axis] < 0 {
		return opposite(up)
	}
	return up
}

// piece is a Gaussian as a piece of a surface. A Gaussian that is not flat has the area 0.
type piece struct {
	at, normal [3]float64
	area       float64
}

// pieces returns a sample of the Gaussians. Not all of them are flat.
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
	g.visitRandom(maxPieces, add)
	return all
}

// withoutSky returns the pieces without the sky: pieces that surround a capture on all sides,
// far outside its dense part. Trainers put the sky on a sphere. Its top is horizontal like a
// ground, and its size hides the height of the ground.
func withoutSky(all []piece) []piece {
	if len(all) == 0 {
		return all
	}
	centre := centreOf(all)
	distances := make([]float64, len(all))
	for i, p := range all {
		distances[i] = math.Sqrt(squareBetween(p.at, centre))
	}
	limit := skyDistance * slices.Sorted(slices.Values(distances))[int(denseShare*float64(len(distances)))]
	var near, outer []piece
	for i, p := range all {
		if distances[i] <= limit {
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

// surrounds reports whether pieces are spread along all axes, unlike a ground that extends far
// away.
func surrounds(pieces []piece) bool {
	smallest, largest := math.Inf(1), 0.0
	for k := range 3 {
		positions := sortedPositions(pieces, k)
		skip := len(positions) / 20
		extent := positions[len(positions)-1-skip] - positions[skip]
		smallest, largest = min(smallest, extent), max(largest, extent)
	}
	return smallest > skyShare*largest
}

// centreOf returns the median of the positions along each axis.
func centreOf(pieces []piece) (centre [3]float64) {
	for k := range centre {
		centre[k] = sortedPositions(pieces, k)[len(pieces)/2]
	}
	return centre
}

func sortedPositions(pieces []piece, axis int) []float64 {
	positions := make([]float64, len(pieces))
	for i, p := range pieces {
		positions[i] = p.at[axis]
	}
	slices.Sort(positions)
	return positions
}

// squareBetween returns the square of the distance between two points.
func squareBetween(a, b [3]float64) float64 {
	d := [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
	return dot(d, d)
}

// visitSample calls visit for all Gaussians, or for maxSamples random ones.
func (g *gaussians) visitSample(visit func(i int)) { g.visitRandom(maxSamples, visit) }

// visitRandom calls visit for all visible Gaussians, or for about limit random ones. Every n-th
// Gaussian would not do, because the order of files has patterns. Faint Gaussians are visited only
// if nearly all are faint.
func (g *gaussians) visitRandom(limit int, visit func(i int)) {
	visible := 0
	each := func(i int) {
		if g.opacities[i] >= minVisible {
			visible++
			visit(i)
		}
	}
	if g.visitAny(limit, each); visible > min(limit, g.len())/20 {
		return
	}
	g.visitAny(limit, func(i int) {
		if g.opacities[i] < minVisible {
			visit(i)
		}
	})
}

// visitAny calls visit for all Gaussians, or for limit random ones.
func (g *gaussians) visitAny(limit int, visit func(i int)) {
	n := g.len()
	if n <= limit {
		for i := range n {
			visit(i)
		}
		return
	}
	random := rand.New(rand.NewPCG(1, uint64(n))) //nolint:gosec // the same in each run
	for range limit {
		visit(random.IntN(n))
	}
}

// middleBox returns the box of the centres without the given share at each end of each axis.
func (g *gaussians) middleBox(share float64) (low, high [3]float64) {
	values := make([]float32, 0, min(g.len(), maxSamples))
	for k := range 3 {
		values = values[:0]
		g.visitSample(func(i int) { values = append(values, g.positions[3*i+k]) })
		slices.Sort(values)
		skip := int(share * float64(len(values)))
		low[k], high[k] = float64(values[skip]), float64(values[len(values)-1-skip])
	}
	return low, high
}

// disc returns which axis of a flat Gaussian is its normal, and the area of the disc. It returns
// the axis -1 for a Gaussian that is not flat. The area is the area of one standard deviation,
// without the factor pi, in square metres.
func (g *gaussians) disc(i int) (thin int, area float64) {
	s := g.scales[3*i:][:3]
	for k := range 3 {
		if s[k] < s[thin] {
			thin = k
		}
	}
	one, other := s[(thin+1)%3], s[(thin+2)%3]
	// The area is limited, because large Gaussians are the sky and the haze around a capture.
	area = min(1, math.Exp(float64(one+other)))
	if float64(s[thin]) > float64(min(one, other))+math.Log(flatness) {
		return -1, area
	}
	return thin, area
}
