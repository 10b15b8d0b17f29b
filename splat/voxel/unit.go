package voxel

import (
	"math"
	"slices"
)

// The sizes, in the unit of a file, from which this unit is not the metre.
const (
	// leastDiagonal is the diagonal below which the unit is the kilometre: a room is more likely
	// than a subject of a few centimetres.
	leastDiagonal = 0.05
	// leastUnclear is the diagonal from which the unit may be the centimetre or the millimetre. A
	// smaller capture is an object in any unit.
	leastUnclear = 1.4 * minWalkable
	// highestRoom is the maximum height of a room in metres, and highestInCentimetres the maximum
	// height of one in centimetres.
	highestRoom, highestInCentimetres = 50.0, 1500.0
	// Nobody could stand among Gaussians of which most are larger than leastCoarse, or, seen from a
	// drone, larger than coarseShare of the diagonal, but at most mostCoarse.
	leastCoarse, mostCoarse, coarseShare = 0.6, 1.0, 0.001
	// largestObject is the diagonal up to which an object is in centimetres.
	largestObject = 500.0
	// roomDiagonal is the diagonal to which a capture is scaled to see whether it is a room.
	roomDiagonal = 10.0
)

// toMetres scales the Gaussians to metres. It returns the options for them, and how many units of the
// capture's file are a metre.
func (g *gaussians) toMetres(o Options) (Options, float64) {
	units, isObject := g.unitsPerMetre(o.ownUp())
	if isObject && o.Scene == SceneAuto && o.Start == nil {
		o.Scene = SceneObject
	}
	if units == 1 {
		return o, 1
	}
	g.scale(1 / units)
	return o.inMetres(units), units
}

// unitsPerMetre returns how many units of the capture's file are a metre: 1, 100, 1000 or 0.001. The
// shape of a room tells its unit, because people fit into rooms. A garden in centimetres cannot be
// told from a table in millimetres. It counts as an object, because a picture of a whole garden shows
// more than a picture from a table top.
func (g *gaussians) unitsPerMetre(own [3]float64, declared bool) (units float64, isObject bool) {
	diagonal := g.diagonalWithoutSky()
	switch {
	case diagonal > 0 && diagonal < leastDiagonal:
		return 0.001, false
	case diagonal < leastUnclear:
		return 1, false
	}
	sample := g.sample(maxPieces)
	sample.scale(roomDiagonal / diagonal)
	height := sample.orient(own, declared).room * diagonal / roomDiagonal
	switch {
	case height > highestInCentimetres, height == 0 && diagonal > maxDiagonal:
		return 1000, false
	case height > highestRoom:
		return 100, false
	case height > 0 || g.usualSize() < min(mostCoarse, max(leastCoarse, coarseShare*diagonal)):
		return 1, false
	case diagonal < largestObject:
		return 100, true
	}
	return 1000, true
}

// diagonalWithoutSky returns the diagonal of the box around nearly all centres. A sky says nothing
// about the size of what is under it.
func (g *gaussians) diagonalWithoutSky() float64 {
	pieces := withoutSky(g.pieces())
	var o orientation
	for k := range 3 {
		positions := sortedPositions(pieces, k)
		skip := len(positions) / 100
		o.low[k], o.high[k] = positions[skip], positions[len(positions)-1-skip]
	}
	return o.diagonal()
}

// usualSize returns the median of the standard deviations of the visible Gaussians along their
// surfaces.
func (g *gaussians) usualSize() float64 {
	var sizes []float64
	g.visitSample(func(i int) {
		s := g.scales[3*i:][:3]
		sizes = append(sizes, float64(s[0]+s[1]+s[2]-min(s[0], s[1], s[2]))/2)
	})
	slices.Sort(sizes)
	return math.Exp(sizes[len(sizes)/2])
}

// sample returns a copy of all visible Gaussians, or of limit random ones.
func (g *gaussians) sample(limit int) *gaussians {
	s := newGaussians(min(g.len(), limit))
	g.visitRandom(limit, func(i int) {
		s.positions = append(s.positions, g.positions[3*i:][:3]...)
		s.rotations = append(s.rotations, g.rotations[4*i:][:4]...)
		s.scales = append(s.scales, g.scales[3*i:][:3]...)
		s.opacities = append(s.opacities, g.opacities[i])
	})
	return s
}

// scale multiplies all lengths by a factor.
func (g *gaussians) scale(factor float64) {
	by, grow := float32(factor), float32(math.Log(factor))
	for i := range g.positions {
		g.positions[i] *= by
		g.scales[i] += grow
	}
	g.bounds = g.bounds.scaled(factor)
}

// inMetres returns the options, whose lengths are in the unit of a file, in metres.
func (o Options) inMetres(unitsPerMetre float64) Options {
	o.Resolution /= unitsPerMetre
	if o.Start != nil {
		start := scaled(*o.Start, 1/unitsPerMetre)
		o.Start = &start
	}
	if o.View != nil {
		o.View = &View{scaled(o.View.Position, 1/unitsPerMetre), scaled(o.View.Target, 1/unitsPerMetre)}
	}
	return o
}

// scale multiplies all lengths by a factor, except the walkable area, which stays in square metres.
func (c *Collision) scale(factor float64) {
	s := &c.Steps
	for _, length := range []*float64{
		&c.Resolution, &c.grid.resolution, &s.Resolution, &s.ExteriorRadius, &s.FloorRadius, &s.Capsule.Height, &s.Capsule.Radius,
	} {
		*length *= factor
	}
	for _, point := range []*[3]float64{&s.Seed, &c.Start.Position, &c.Start.Target} {
		*point = scaled(*point, factor)
	}
	c.Bounds, c.grid.bounds = c.Bounds.scaled(factor), c.grid.bounds.scaled(factor)
}

func (b Bounds) scaled(factor float64) Bounds {
	return Bounds{scaled(b.Min, factor), scaled(b.Max, factor)}
}

func scaled(p [3]float64, factor float64) [3]float64 {
	return [3]float64{p[0] * factor, p[1] * factor, p[2] * factor}
}
