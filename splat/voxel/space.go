package voxel

import "math"

// The dimensions of a block, which is a leaf of the octree.
const (
	blockSide = 4 // voxels
	// brickSide is the side of a brick in voxels. A brick is the unit of work when densities are
	// computed. It has 64 voxels to a side, so that one of its rows is one word of a grid.
	brickSide = 64
)

// Bounds is an axis-aligned box in the coordinates of viewers.
type Bounds struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// grow extends the bounds so that they contain the box around p with these half extents.
func (b *Bounds) grow(p [3]float32, half [3]float64) {
	for k := range 3 {
		b.Min[k] = min(b.Min[k], float64(p[k])-half[k])
		b.Max[k] = max(b.Max[k], float64(p[k])+half[k])
	}
}

// emptyBounds is the box that contains nothing.
func emptyBounds() Bounds {
	inf := math.Inf(1)
	return Bounds{Min: [3]float64{inf, inf, inf}, Max: [3]float64{-inf, -inf, -inf}}
}

// align extends the box by pad, and then to multiples of a block, so that two captures of one place
// have the same voxels. pad and resolution are in metres.
func (b Bounds) align(pad [3]float64, resolution float64) Bounds {
	side := blockSide * resolution
	for k := range 3 {
		b.Min[k] = math.Floor((b.Min[k]-pad[k])/side) * side
		b.Max[k] = math.Ceil((b.Max[k]+pad[k])/side) * side
	}
	return b
}

// blocksPerAxis returns the number of blocks along each axis of an aligned box.
func (b Bounds) blocksPerAxis(resolution float64) (n [3]int) {
	side := blockSide * resolution
	for k := range 3 {
		n[k] = int(math.Round((b.Max[k] - b.Min[k]) / side))
	}
	return n
}

// crop returns the part of an aligned box from block low to block high, exclusive.
func (b Bounds) crop(low, high [3]int, resolution float64) (c Bounds) {
	side := blockSide * resolution
	for k := range 3 {
		c.Min[k] = b.Min[k] + float64(low[k])*side
		c.Max[k] = c.Min[k] + float64(high[k]-low[k])*side
	}
	return c
}
