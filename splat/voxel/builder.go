package voxel

import (
	"context"
	"math"
)

// builder finds the scene and the start of a capture, and fills and carves its grid.
//
// Places to stand are searched in the rotated grid, whose y is up, whatever the axes of the capture
// are. Fills and carvings change the grid of the capture itself, so only upright captures get them.
type builder struct {
	options       Options
	work          Work
	found         orientation
	unitsPerMetre float64
	grid          *grid
	collision     *Collision
	// rotated is the grid with y up, and rotation the rotation from grid to it.
	rotated  *grid
	rotation rotation
}

// rotate sets the grid with y up. For a tilted capture it computes new voxels, a little larger,
// because in rotated voxels a floor would look like stairs.
func (b *builder) rotate(ctx context.Context, cloud *gaussians) (err error) {
	b.rotated, b.rotation = b.grid, rotationToY(b.found.up)
	switch {
	case b.found.isTilted():
		rotated := b.rotation.gaussians(cloud)
		s := b.collision.Steps
		s.Resolution = max(s.Resolution, tiltedResolution)
		// The box of a rotated capture may be larger. Voxels of twice the side need an eighth of
		// the memory.
		if s.voxels(rotated.bounds) > maxVoxels {
			s.Resolution *= 2
		}
		b.rotated, err = s.solid(ctx, rotated, s.everyPadding(), Work{Workers: b.work.Workers})
	case !b.found.isUpright():
		b.rotated = b.rotation.grid(b.grid)
	}
	return err
}

// headroom is the free height above the eye, in metres.
const headroom = 0.3

// tiltedResolution is the minimum side of the voxels in which the start of a tilted capture is
// found, in metres.
const tiltedResolution = 0.1

// run makes the grid of the collision from the grid of solid voxels, and sets the start.
func (b *builder) run(ctx context.Context) error {
	b.work.step(80, 82, "Looking for a place to stand")
	rotated, r := b.rotated, b.rotation
	start, ok := viewpoint{}, false
	if b.options.Scene != SceneObject && b.isLarge() {
		start, ok = b.chooseViewpoint(rotated, r)
	}
	c := b.collision
	c.Start = &Start{Up: b.found.up, Certainty: b.found.certainty, Scene: SceneObject}
	diagonal := b.found.diagonal() * b.unitsPerMetre
	c.Start.DoubtfulScale = b.unitsPerMetre != 1 || diagonal < minDiagonal || diagonal > maxDiagonal ||
		b.options.Normalised && diagonal < maxNormalised
	if !ok {
		b.startOutside(r)
		b.grid.cropTo(false, 0)
		return nil
	}
	c.Start.Scene = b.scene(ctx, rotated, start)
	b.setStart(start, r)
	if !b.found.isUpright() {
		// Gravity in viewers points along -y, so visitors cannot walk before the capture is
		// rotated.
		b.grid.cropTo(false, 0)
		return nil
	}
	return b.makeWalkable(ctx)
}

// isLarge reports whether the capture is large enough to walk in: at least minWalkable along two
// axes that are not up.
func (b *builder) isLarge() bool {
	if b.options.Scene != SceneAuto {
		return true
	}
	low, high := b.found.low, b.found.high
	wide := 0
	for k, up := range b.found.up {
		if math.Abs(up) < uprightCos && high[k]-low[k] >= minWalkable {
			wide++
		}
	}
	return wide >= 2
}

// chooseViewpoint returns the viewpoint that was given or suggested, or else the best one, in the
// rotated grid. It reports whether there is one.
func (b *builder) chooseViewpoint(g *grid, r rotation) (s viewpoint, ok bool) {
	switch {
	case b.options.Start != nil:
		eye := r.point(*b.options.Start)
		at := g.voxelAt(eye)
		if !g.contains(at[0], at[1], at[2]) {
			return viewpoint{}, false
		}
		s, _ = g.lookFrom(place{at[0], at[1] - int(eyeHeight/g.resolution), at[2]})
		s.eye = eye
		s.lookAhead()
		return s, true
	case b.options.View != nil:
		if s, ok := g.viewpointAt(b.options.View.rotate(r), b.work.Workers); ok {
			return s, true
		}
	}
	s, ok = g.findViewpoint(b.work.Workers)
	s.eye = g.eye(s.place)
	s.lookAhead()
	return s, ok
}

// lookAhead sets the target in the direction in which there is most to see.
func (s *viewpoint) lookAhead() {
	dx, dz := direction(s.yaw)
	far := max(1, min(s.reach, 5))
	s.target = [3]float64{s.eye[0] + far*dx, s.eye[1], s.eye[2] + far*dz}
}

// setStart sets the start to a viewpoint in the rotated grid.
func (b *builder) setStart(s viewpoint, r rotation) {
	start := b.collision.Start
	start.WalkableArea = s.area
	start.Position, start.Target = r.inverse(s.eye), r.inverse(s.target)
}

// eye returns the position of the eye of a person who stands at a place.
func (g *grid) eye(p place) [3]float64 {
	eye := g.centre(p.x, p.y, p.z)
	eye[1] += eyeHeight - g.resolution/2
	return eye
}

// startOutside sets the start to the suggested view, or else to a view of the whole capture from
// in front of it and a little above. The front is the side that posters show (package picture):
// most trainers give the first photo the axes of COLMAP, whose camera looks along z.
func (b *builder) startOutside(r rotation) {
	if v := b.options.View; v != nil {
		b.collision.Start.Position, b.collision.Start.Target = v.Position, v.Target
		return
	}
	low, high := r.point(b.found.low), r.point(b.found.high)
	var centre [3]float64
	for k := range 3 {
		centre[k] = (low[k] + high[k]) / 2
	}
	away := max(b.found.diagonal(), 1e-3)
	b.collision.Start.Target = r.inverse(centre)
	b.collision.Start.Position = r.inverse([3]float64{centre[0] - 0.5*away, centre[1] + 0.35*away, centre[2] - away})
}

// scene returns the kind of the capture around a viewpoint: indoor if a flood from the exterior
// does not reach it through gaps wider than two radii. The flood uses blocks instead of voxels,
// which is exact enough and takes a 64th of the memory.
func (b *builder) scene(ctx context.Context, g *grid, s viewpoint) Scene {
	if b.options.Scene != SceneAuto {
		return b.options.Scene
	}
	coarse := g.coarse()
	around := coarse.voxels(DefaultFillRadius)
	coarse.dilate(around, around, b.work.Workers)
	f := newFlood(coarse)
	f.seedFaces()
	if f.run(ctx) != nil {
		return SceneOutdoor // the caller sees the end of the context
	}
	at := coarse.voxelAt(g.eye(s.place))
	if f.reached.has(at[0], at[1], at[2]) || !isEnclosed(g, s) {
		return SceneOutdoor
	}
	return SceneIndoor
}

// isEnclosed reports whether most places around a viewpoint have a ceiling. The flood alone is not
// enough, because the dilated walls of a narrow street also meet.
func isEnclosed(g *grid, s viewpoint) bool {
	covered, total := 0, 0
	reach := int(3 / g.resolution)
	for dx := -reach; dx <= reach; dx += max(1, reach/4) {
		for dz := -reach; dz <= reach; dz += max(1, reach/4) {
			x, z := s.x+dx, s.z+dz
			if !g.contains(x, s.y, z) {
				continue
			}
			total++
			for y := s.y + int(clearanceHeight/g.resolution); y < g.ny; y++ {
				if g.has(x, y, z) {
					covered++
					break
				}
			}
		}
	}
	return covered*2 > total
}

// coarse returns a grid whose voxels are the blocks that contain a solid voxel.
func (g *grid) coarse() *grid {
	c := &grid{
		bounds: g.bounds, resolution: g.resolution * blockSide,
		nx: g.nx / blockSide, ny: g.ny / blockSide, nz: g.nz / blockSide,
	}
	c.words = (c.nx + 63) / 64
	c.bits = make([]uint64, c.words*c.ny*c.nz)
	kinds := g.blockKinds()
	for z := range c.nz {
		for y := range c.ny {
			for x := range c.nx {
				if kinds.kinds[kinds.at(x, y, z)] != kindEmpty {
					c.set(x, y, z)
				}
			}
		}
	}
	return c
}

// makeWalkable fills and carves the grid from the start.
func (b *builder) makeWalkable(ctx context.Context) error {
	c, g := b.collision, b.grid
	c.Steps.Capsule = DefaultCapsule
	if c.Start.Scene == SceneIndoor {
		c.Steps.ExteriorRadius = DefaultFillRadius
	} else {
		c.Steps.FillFloor, c.Steps.FloorRadius = true, DefaultFillRadius
		// The padding below the lowest Gaussian is only for other scenes.
		pad := int(math.Round(c.Steps.everyPadding()[1] / (blockSide * g.resolution)))
		blocks := [3]int{g.nx / blockSide, g.ny / blockSide, g.nz / blockSide}
		// Above the highest Gaussian, a person who stands on it needs only the head's height.
		head := g.voxelAt(c.Start.Position)[1] + g.voxels(headroom)
		top := min(blocks[1], max(pad+1, blocks[1]-pad, head/blockSide+1))
		g.crop([3]int{0, pad, 0}, [3]int{blocks[0], top, blocks[2]})
	}
	// The seed of the flood is the middle of the capsule, one voxel above the floor.
	body := c.Start.Position
	for k, up := range b.found.up {
		body[k] -= (eyeHeight - DefaultCapsule.Height/2 - g.resolution) * up
	}
	c.Steps.Seed = body
	return c.Steps.fillAndCarve(ctx, g, b.work)
}
