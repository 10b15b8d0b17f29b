package voxel

import "context"

// removeFloaters removes the Gaussians that contribute less than the steps demand to
// every solid voxel, and returns how many they are. A Gaussian contributes its alpha
// times the density at the centre of a voxel that its box touches. One whose centre is in
// a solid voxel stays.
func (g *gaussians) removeFloaters(ctx context.Context, s Steps, w Work) (int, error) {
	solid := newGrid(g.bounds.align([3]float64{}, s.Resolution), s.Resolution)
	sampler := newSampler(solid, g, s.Opacity)
	if err := sampler.run(ctx, w.Workers, w.step(10, 20, "Finding floaters")); err != nil {
		return 0, err
	}
	stays := make([]bool, g.len())
	parallel((g.len()+readChunk-1)/readChunk, w.Workers, func() func(int) {
		return func(chunk int) {
			for i := chunk * readChunk; i < min(g.len(), (chunk+1)*readChunk) && ctx.Err() == nil; i++ {
				stays[i] = g.contributes(i, solid, s.FloaterContribution)
			}
		}
	})
	before := g.len()
	g.keep(func(i int, _ [3]float64) bool { return stays[i] })
	return before - g.len(), ctx.Err()
}

// contributes reports whether a Gaussian contributes to a solid voxel.
func (g *gaussians) contributes(i int, solid *grid, contribution float64) bool {
	p, half := g.position(i), g.extent(i)
	if !isFinite(half) {
		return false
	}
	centre := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
	if at := solid.voxelAt(centre); solid.has(at[0], at[1], at[2]) {
		return true
	}
	// The reference looks at all voxels of the blocks that the box touches.
	var first, end [3]int
	limit := [3]int{solid.nx, solid.ny, solid.nz}
	side := blockSide * solid.resolution
	for k := range 3 {
		low, high := centre[k]-half[k]-solid.bounds.Min[k], centre[k]+half[k]-solid.bounds.Min[k]
		first[k] = max(0, int(low/side)*blockSide)
		end[k] = min(limit[k], (int(high/side)+1)*blockSide)
	}
	var b bell
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

// centre returns the centre of a voxel.
func (g *grid) centre(x, y, z int) (p [3]float64) {
	for k, i := range [3]int{x, y, z} {
		p[k] = g.bounds.Min[k] + (float64(i)+0.5)*g.resolution
	}
	return p
}
