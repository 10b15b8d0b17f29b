package voxel

import (
	"math"
	"math/bits"
	"slices"
)

// The thresholds of a ground.
const (
	// footprintSide is the number of cells along each side of a footprint.
	footprintSide = 24
	// minGround is the minimum area of a ground, as a share of all, and minCover the share of what
	// is above and below it that it must extend to.
	minGround, minCover = 0.16, 0.7
	// minThickness is the minimum size along up, relative to the larger one across it. A capture
	// that is thinner may be the front of a house, unless it is larger than a house, in metres.
	minThickness, largestFront = 0.15, 40
	// A capture ends in a stand if its last heights have more than standDensity of the mean number
	// of Gaussians, and are wider than standWidth of the whole.
	standDensity, standWidth = 0.8, 0.6
	// ceilingWidth and beamsWidth are how wide a ceiling and beams are, as a share of the whole.
	ceilingWidth, beamsWidth = 0.8, 0.6
	// bothSides is the share of all Gaussians on each side of a table top.
	bothSides = 0.04
	// enclosedShare is the share of the border with walls from which a ground may be a ceiling, and
	// enclosedOdds limit what follows then: not enough to turn a capture upside down. Whoever
	// records a ceiling from below records the upper ends of its walls: less than highWalls of the
	// smaller size across.
	enclosedShare, enclosedOdds, highWalls = 0.4, 1.5, 0.4
	// tableOdds are the odds that the legs of a table are below.
	tableOdds = 20.0
	// leastAround and leastFurniture limit what follows from small shares of the Gaussians and of
	// the area.
	leastAround, leastFurniture = 0.02, 0.002
	// furnitureFrom is the height from which a surface counts as furniture where the ground may be a
	// ceiling, in bins. Beams are lower.
	furnitureFrom = heights / 4
	// leastInside is the share of the Gaussians between the floor and the ceiling of a room, away from
	// its walls, and mostBeyond the share below and above them.
	leastInside, mostBeyond = 0.005, 0.1
	// scorePower makes odds of scores: twice the score is 16 times as likely.
	scorePower = 4
)

// profile is the distribution of a capture along a direction.
type profile struct {
	// facing is the area that faces the direction, and all is the number of Gaussians, as a share, by
	// height.
	facing, all histogram
	// inside is the number of Gaussians that are not near the border of the capture across the
	// direction, by height.
	inside histogram
	// extent is the size of the capture along the direction, and wide and narrow are the larger and
	// the smaller size across it.
	extent, wide, narrow float64
	// cells are the cells across the direction of the Gaussians at each height, and floor those of
	// the area that faces the direction.
	cells, floor [heights]footprint
	// paired is set by upOdds if a second surface is as wide as the ground: a ceiling, or a wall.
	// ground and other are the heights of the two.
	paired        bool
	ground, other int
}

// footprint is a set of cells across a direction: each row is a bit set.
type footprint [footprintSide]uint32

// histogram has one value for each interval of height.
type histogram [heights]float64

// profileOf returns the profile of pieces along a direction. It ignores one percent at each end.
func profileOf(pieces []piece, d [3]float64) *profile {
	a := &profile{}
	r := rotationToY(d)
	var low, size [3]float64
	turned := make([][3]float64, len(pieces))
	offsets := make([]float64, len(pieces))
	total := 0.0
	for i, p := range pieces {
		turned[i] = r.point(p.at)
		total += p.area
	}
	for k := range 3 {
		for i := range turned {
			offsets[i] = turned[i][k]
		}
		slices.Sort(offsets)
		skip := len(offsets) / 100
		low[k] = offsets[skip]
		size[k] = max(offsets[len(offsets)-1-skip]-low[k], 1e-9)
	}
	a.extent, a.wide, a.narrow = size[1], max(size[0], size[2]), min(size[0], size[2])
	for i, p := range pieces {
		at := func(k, n int) int { return int(max(0, min(float64(n-1), (turned[i][k]-low[k])/size[k]*float64(n)))) }
		bin, x, z := at(1, heights), at(0, footprintSide), at(2, footprintSide)
		a.all[bin] += 1 / float64(len(pieces))
		if min(x, z) > 1 && max(x, z) < footprintSide-2 {
			a.inside[bin] += 1 / float64(len(pieces))
		}
		a.cells[bin][z] |= 1 << x
		if math.Abs(dot(p.normal, d)) > facesCos {
			a.facing[bin] += p.area / max(total, math.SmallestNonzeroFloat64)
			a.floor[bin][z] |= 1 << x
		}
	}
	return a
}

// score returns how much the direction looks like up or down: the share of the area that faces it,
// times the share of that area at one height, divided by the square root of the extent along the
// direction. The power makes odds of it.
func (a *profile) score() float64 {
	return math.Pow(a.facing.sum()*a.facing.peak()*math.Sqrt(1/a.extent), scorePower)
}

// room returns the height of a room: two surfaces as wide as the whole, walls around, and something
// between them, because a closed box is also the outside of a crate. Little is beyond them, unlike
// the cabin of a car. It returns 0 for anything else. upOdds must have been called.
func (a *profile) room() float64 {
	if !a.paired || !a.isEnclosed(a.ground) {
		return 0
	}
	low, high := min(a.ground, a.other)+4, max(a.ground, a.other)-3
	inside, beyond := 0.0, 0.0
	for i := range heights {
		switch {
		case i >= low && i <= high:
			inside += a.inside[i]
		case i < low-6 || i > high+6:
			beyond += a.all[i]
		}
	}
	if inside < leastInside || beyond > mostBeyond {
		return 0
	}
	return a.extent * float64(max(a.ground, a.other)-min(a.ground, a.other)) / heights
}

// isThin reports whether the capture is so thin along the direction that it may be a wall.
func (a *profile) isThin() bool { return a.wide < largestFront && a.extent < minThickness*a.wide }

// upOdds returns the odds that the direction is up and not down, by the surfaces that face it. The
// ground is the height with the largest area.
//
// In a room the ceiling is as large as the floor. There the horizontal surfaces between the two
// decide, because tables and seats are in the lower half of a room. Walls without a ceiling end at
// one height too, as do the legs of a table. Otherwise nearly everything is on one side of the
// ground. Nothing follows from a surface that does not extend below everything, such as the roof of
// a car.
func (a *profile) upOdds() float64 {
	ground := a.facing.peakAt()
	if a.facing.sum()*a.facing.peak() < minGround || a.cover(ground) < minCover {
		return 1
	}
	below, above := a.all.around(ground)
	if other, ok := a.facing.otherPeak(ground); ok && a.spans(other, ceilingWidth) {
		a.paired, a.ground, a.other = true, ground, other
		return a.between(ground, other, 0)
	}
	standsAbove, standsBelow := a.isStand(heights-1), a.isStand(0)
	switch {
	case min(below, above) > bothSides:
		// A table: what is on it does not end in a stand, and its legs do.
		if standsAbove != standsBelow {
			if standsBelow {
				return tableOdds
			}
			return 1 / tableOdds
		}
	case above > below && standsAbove:
		return a.between(ground, heights-1, 0)
	case below > above && standsBelow:
		return a.between(ground, 0, 0)
	}
	far, deep := a.all.moments(ground)
	ratio := (far + leastAround) / (deep + leastAround)
	up := ratio * ratio
	if a.wide > largestFront || a.extent > highWalls*a.narrow || !a.isEnclosed(ground) {
		return up // Nobody records all of the walls, or a whole town, and leaves out the floor.
	}
	return a.enclosedUpOdds(ground, up, below > above)
}

// enclosedUpOdds is upOdds for a ground with walls along its border, given the odds without them.
func (a *profile) enclosedUpOdds(ground int, up float64, isMostlyBelow bool) float64 {
	// It may be a ceiling that was recorded from below, with the upper ends of its walls. Beams are
	// near to it, so only furniture that is not near to it shows that it is a floor.
	end := heights - 1
	if isMostlyBelow {
		end = 0
	}
	if furniture := a.between(ground, end, furnitureFrom); up > 1 == (furniture > 1) && max(furniture, 1/furniture) > pairClarity {
		return furniture
	}
	return max(1/enclosedOdds, min(enclosedOdds, up))
}

// isEnclosed reports whether there are walls along much of the border of the ground.
func (a *profile) isEnclosed(ground int) bool {
	var floor footprint
	var walls footprint
	step := 1
	if below, above := a.all.around(ground); below > above {
		step = -1
	}
	for z := range footprintSide {
		walls[z] = math.MaxUint32
		for i := max(0, ground-1); i <= min(heights-1, ground+2); i++ {
			floor[z] |= a.floor[i][z]
		}
		// A wall has no gaps from the ground up.
		for i := 3; i < heights/3; i += heights / 8 {
			row := uint32(0)
			for j := range heights / 8 {
				if at := ground + step*(i+j); at >= 0 && at < heights {
					row |= a.cells[at][z]
				}
			}
			walls[z] &= row
		}
	}
	walled, border := 0, 0
	count := func(x, z int) {
		border++
		for dz := max(0, z-1); dz <= min(footprintSide-1, z+1); dz++ {
			if walls[dz]&(7<<x>>1) != 0 {
				walled++
				return
			}
		}
	}
	for z, row := range floor {
		if row != 0 {
			count(bits.TrailingZeros32(row), z)
			count(bits.Len32(row)-1, z)
		}
	}
	for x := range footprintSide {
		column := uint32(0)
		for z, row := range floor {
			column |= row >> x & 1 << z
		}
		if column != 0 {
			count(x, bits.TrailingZeros32(column))
			count(x, bits.Len32(column)-1)
		}
	}
	return float64(walled) > enclosedShare*float64(border)
}

// spans reports whether the surface at a height is as wide as a share of the capture.
func (a *profile) spans(at int, share float64) bool {
	var f footprint
	for i := max(0, at-1); i < min(heights, at+3); i++ {
		for z := range footprintSide {
			f[z] |= a.floor[i][z]
		}
	}
	x, z := f.size()
	return float64(min(x, z)) > share*footprintSide
}

// between returns the odds that the direction is up, by the horizontal surfaces between two heights
// that are at least the given number of bins from the first.
func (a *profile) between(one, other, away int) float64 {
	first, last := max(0, min(one, other)+4), max(one, other)-3
	lower, upper := leastFurniture, leastFurniture
	for i := first; i <= last; i++ {
		if max(i-one, one-i) < away || away > 0 && a.spans(i, beamsWidth) {
			continue // beams, from wall to wall
		}
		if 2*i < first+last {
			lower += a.facing[i]
		} else {
			upper += a.facing[i]
		}
	}
	ratio := lower / upper
	return ratio * ratio
}

// cover returns the share of the footprint of everything else that is between parts of the ground.
func (a *profile) cover(ground int) float64 {
	var floor, others footprint
	for i := range heights {
		near := i >= ground-1 && i <= ground+2
		for z := range footprintSide {
			if near {
				floor[z] |= a.floor[i][z]
			} else {
				others[z] |= a.cells[i][z]
			}
		}
	}
	covered, all := 0, 0
	for z := range footprintSide {
		for x := range footprintSide {
			if others[z]>>x&1 == 0 {
				continue
			}
			all++
			if floor.surrounds(x, z) {
				covered++
			}
		}
	}
	return float64(covered) / float64(max(all, 1))
}

// surrounds reports whether a cell is in the footprint, or between cells of it along x or z.
func (f *footprint) surrounds(x, z int) bool {
	before, after := false, false
	for i := range footprintSide {
		if f[i]>>x&1 == 1 {
			before, after = before || i <= z, after || i >= z
		}
	}
	row := f[z]
	return before && after || row&(1<<(x+1)-1) != 0 && row>>x != 0
}

// isStand reports whether the capture could stand on its end at a height, the first or the last:
// many Gaussians are there, far apart.
func (a *profile) isStand(end int) bool {
	step := 1
	if end > 0 {
		step = -1
	}
	// The very end has the one percent beyond it.
	var feet footprint
	count := 0.0
	for i := range 3 {
		bin := end + step*(i+1)
		count += a.all[bin]
		for z := range footprintSide {
			feet[z] |= a.cells[bin][z]
		}
	}
	ground := a.facing.peakAt()
	low, high := a.all.around(ground)
	side, bins := low, ground-1
	if end > 0 {
		side, bins = high, heights-ground-3
	}
	if bins <= 6 || count/3 < standDensity*side/float64(bins) {
		return false
	}
	x, z := feet.size()
	return float64(min(x, z)) > standWidth*footprintSide
}

// size returns the number of columns and rows from the first to the last cell.
func (f *footprint) size() (x, z int) {
	all, first, last := uint32(0), footprintSide, -1
	for i, row := range f {
		if all |= row; row != 0 {
			first, last = min(first, i), i
		}
	}
	return bits.Len32(all) - bits.TrailingZeros32(all), max(0, last-first+1)
}

func (h *histogram) sum() (sum float64) {
	for _, v := range h {
		sum += v
	}
	return sum
}

// secondPlane is the minimum area of a ceiling, as a share of the ground's area.
const secondPlane = 0.3

// peak returns the largest share of the sum in two neighbouring bins, because a floor may be at the
// border of two bins.
func (h *histogram) peak() float64 {
	at, sum := h.peakAt(), h.sum()
	if sum == 0 {
		return 0
	}
	return (h[at] + h[at+1]) / sum
}

// peakAt returns the first of the two neighbouring bins with the largest sum.
func (h *histogram) peakAt() (at int) {
	for i := range heights - 1 {
		if h[i]+h[i+1] > h[at]+h[at+1] {
			at = i
		}
	}
	return at
}

// otherPeak returns the largest peak that is far from the first, and reports whether it is large
// enough for a ceiling or a floor.
func (h *histogram) otherPeak(first int) (at int, ok bool) {
	for i := range heights - 1 {
		if d := i - first; max(d, -d) >= heights/4 && (!ok || h[i]+h[i+1] > h[at]+h[at+1]) {
			at, ok = i, true
		}
	}
	return at, ok && h[at]+h[at+1] >= secondPlane*(h[first]+h[first+1])
}

// moments returns the sums of the bins above and below the two bins of a peak, with weights that
// grow with the distance: uneven ground is near to its peak, and what stands on it is not.
func (h *histogram) moments(at int) (above, below float64) {
	for i, v := range h {
		above += v * float64(max(0, i-at-2)) / (heights / 4)
		below += v * float64(max(0, at-1-i)) / (heights / 4)
	}
	return above, below
}

// around returns the sums of the bins below and above the two bins of a peak. It skips one bin on
// each side.
func (h *histogram) around(at int) (below, above float64) {
	for i, v := range h {
		switch {
		case i < at-1:
			below += v
		case i > at+2:
			above += v
		}
	}
	return below, above
}
