package voxel

import (
	"context"

	"portico/splat/gaussian"
)

// Floaters are the settings that define floaters: Gaussians that contribute to no solid voxel.
type Floaters struct {
	// Resolution and Opacity are described at Steps.
	Resolution, Opacity float64
	// Contribution is the minimum contribution that counts. A Gaussian contributes its alpha
	// times the density at the centre of a voxel that its box touches. A Gaussian whose centre is
	// in a solid voxel always contributes.
	Contribution float64
}

// DefaultFloaters are the defaults of splat-transform.
var DefaultFloaters = Floaters{Resolution: DefaultResolution, Opacity: DefaultOpacity, Contribution: 0.004}

// Remaining returns the numbers of a level's Gaussians that are neither floaters nor invisible: the
// Gaussians that splat-transform keeps with --filter-floaters. They are in ascending order.
func (f Floaters) Remaining(ctx context.Context, source gaussian.Source, level int, w Work) ([]uint32, error) {
	n := source.Levels()[level]
	cloud := newGaussians(n)
	cloud.numbers = make([]uint32, 0, n)
	if err := cloud.read(ctx, source, level, w.step(0, 20, "Reading Gaussians")); err != nil || cloud.len() == 0 {
		return nil, err
	}
	s := Steps{Resolution: f.Resolution, Opacity: f.Opacity}
	if s.voxels(cloud.bounds) > maxSteppedVoxels {
		return nil, errTooLarge(s.Resolution)
	}
	solid := newGrid(cloud.bounds.align([3]float64{}, f.Resolution), f.Resolution)
	if err := newSampler(solid, cloud, f.Opacity).run(ctx, w.Workers, w.step(20, 80, "Finding floaters")); err != nil {
		return nil, err
	}
	stays := make([]bool, cloud.len())
	runParallel((cloud.len()+readChunk-1)/readChunk, w.Workers, func() func(int) {
		return func(chunk int) {
			for i := chunk * readChunk; i < min(cloud.len(), (chunk+1)*readChunk) && ctx.Err() == nil; i++ {
				stays[i] = cloud.contributes(i, solid, f.Contribution)
			}
		}
	})
	var kept []uint32
	for i, number := range cloud.numbers {
		if stays[i] {
			kept = append(kept, number)
		}
	}
	return kept, ctx.Err()
}

// contributes reports whether a Gaussian contributes to a solid voxel. For most Gaussians the voxel
// at the centre is solid, so it is checked first; only the others are compared voxel by voxel.
func (g *gaussians) contributes(i int, solid *grid, contribution float64) bool {
	p, half := g.position(i), g.extent(i)
	if !isFinite(half) {
		return false
	}
	centre := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
	if at := solid.voxelAt(centre); solid.has(at[0], at[1], at[2]) {
		return true
	}
	// As in splat-transform, all voxels of the blocks that the box touches count.
	var first, end [3]int
	limit := [3]int{solid.nx, solid.ny, solid.nz}
	side := blockSide * solid.resolution
	for k := range 3 {
		low, high := centre[k]-half[k]-solid.bounds.Min[k], centre[k]+half[k]-solid.bounds.Min[k]
		first[k] = max(0, int(low/side)*blockSide)
		end[k] = min(limit[k], (int(high/side)+1)*blockSide)
	}
	var b density
	b.set(g, i)
	for y := first[1]; y < end[1]; y++ {
		for z := first[2]; z < end[2]; z++ {
			for x := first[0]; x < end[0]; x++ {
				if solid.has(x, y, z) && b.at(solid.centre(x, y, z)) >= contribution {
					return true
				}
			}
		}
	}
	return false
}

func (g *grid) centre(x, y, z int) (p [3]float64) {
	for k, i := range [3]int{x, y, z} {
		p[k] = g.bounds.Min[k] + (float64(i)+0.5)*g.resolution
	}
	return p
}
