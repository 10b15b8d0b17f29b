package voxel

import (
	"context"
	"math"

	"portico/splat/gaussian"
)

// The defaults of Steps, which are the defaults of splat-transform. Lengths are in metres.
const (
	DefaultResolution = 0.05
	DefaultOpacity    = 0.1
	DefaultFillRadius = 1.6
)

// DefaultCapsule is the capsule with which splat-transform carves.
var DefaultCapsule = Capsule{Height: 1.6, Radius: 0.2}

// Steps are the settings of each step from Gaussians to voxels. Build chooses them; Voxelise
// gets them from its caller. Lengths are in metres.
type Steps struct {
	// Resolution is the side of a voxel: smaller voxels follow the surface more closely, and take
	// more memory.
	Resolution float64
	// Opacity is the minimum opacity of a solid voxel.
	Opacity float64
	// ExteriorRadius is the radius with which the exterior of closed rooms is filled: gaps of up to
	// two radii count as closed. 0 means that the exterior is not filled.
	ExteriorRadius float64
	// FillFloor fills the space below floors. Holes in floors of up to two FloorRadius are closed.
	FillFloor   bool
	FloorRadius float64
	// Capsule carves the space that a person of this size can reach from the seed. A height of 0
	// means that nothing is carved.
	Capsule Capsule
	// Seed is a free point inside, for ExteriorRadius and Capsule.
	Seed [3]float64
}

// maxSteppedVoxels is the maximum number of voxels of Voxelise and Floaters. The grid then
// takes 1 GiB.
const maxSteppedVoxels = 1 << 33

// Work are the options that do not change the result.
type Work struct {
	// Workers is the number of goroutines; 0 means one.
	Workers int
	// Progress is called with percentages and the current step in words. It may be nil.
	Progress func(percent float64, message string)
}

// step returns the progress function of the part of the work from one percentage to
// another.
func (w Work) step(from, to float64, message string) func(share float64) {
	report := func(share float64) {
		if w.Progress != nil {
			w.Progress(from+(to-from)*share, message)
		}
	}
	report(0)
	return report
}

// Voxelise makes the collision of the finest level with the given steps. The result is the same
// as the result of splat-transform. A capture that is too large is an *input.Error.
func Voxelise(ctx context.Context, source gaussian.Source, s Steps, w Work) (*Collision, error) {
	cloud, err := readGaussians(ctx, source, 0, w.step(0, 20, "Reading Gaussians"))
	if err != nil {
		return nil, err
	}
	c := &Collision{SceneBounds: cloud.bounds, Steps: s}
	if cloud.len() == 0 {
		c.SceneBounds, c.Octree, c.grid = Bounds{}, &Octree{Resolution: s.Resolution, Depth: 1}, &grid{}
		return c, nil
	}
	if s.voxels(cloud.bounds) > maxSteppedVoxels {
		return nil, errTooLarge(s.Resolution)
	}
	g, err := s.solid(ctx, cloud, s.padding(), w)
	if err != nil {
		return nil, err
	}
	cloud.release()
	if err := s.fillAndCarve(ctx, g, w); err != nil {
		return nil, err
	}
	c.grid = g
	c.Octree, err = g.octree(ctx)
	return c, err
}

// padding returns how far the grid extends around the Gaussians, so that the exterior is connected
// and the floor can grow by its radius. It is in metres along x, y and z.
func (s Steps) padding() [3]float64 {
	pad := func(radius float64) float64 { return (math.Ceil(radius/s.Resolution) + 1) * s.Resolution }
	horizontal, vertical := 0.0, 0.0
	if s.FillFloor {
		horizontal = pad(s.FloorRadius)
	}
	if s.ExteriorRadius > 0 {
		vertical = pad(s.ExteriorRadius)
		horizontal = max(horizontal, vertical)
	}
	return [3]float64{horizontal, vertical, horizontal}
}

// solid finds the solid voxels in the box of the Gaussians, extended by padding, and cleans the
// grid up.
func (s Steps) solid(ctx context.Context, cloud *gaussians, padding [3]float64, w Work) (*grid, error) {
	g := newGrid(cloud.bounds.align(padding, s.Resolution), s.Resolution)
	if err := newSampler(g, cloud, s.Opacity).run(ctx, w.Workers, w.step(20, 80, "Finding solid voxels")); err != nil {
		return nil, err
	}
	g.cleanUp()
	return g, nil
}

// fillAndCarve fills, carves and crops the grid. The order is the order of splat-transform. After a
// fill the free space is the result, and otherwise the solid voxels, so the grid is cropped to the
// one or the other.
func (s Steps) fillAndCarve(ctx context.Context, g *grid, w Work) error {
	if s.ExteriorRadius > 0 {
		w.step(80, 85, "Filling the exterior")
		if _, err := g.fillExterior(ctx, s.ExteriorRadius, s.Seed, w.Workers); err != nil {
			return err
		}
	}
	if s.FillFloor {
		w.step(85, 90, "Filling floors")
		g.fillFloor(s.FloorRadius)
	}
	if s.Capsule.Height > 0 {
		w.step(90, 95, "Carving what can be walked on")
		if _, err := g.carve(ctx, s.Capsule, s.Seed, w.Workers); err != nil {
			return err
		}
	}
	w.step(95, 100, "Writing voxels")
	if filled := s.ExteriorRadius > 0 || s.FillFloor; filled {
		g.cropTo(true, 1)
	} else {
		g.cropTo(false, 0)
	}
	return nil
}
