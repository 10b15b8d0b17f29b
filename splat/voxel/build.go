package voxel

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// Scene is the kind of a capture, which decides how its voxels are filled.
type Scene string

// The kinds. In a room the exterior is filled, and outdoors the space below the floors. An
// object has no floor to stand on, and visitors look at it from outside.
const (
	SceneAuto    Scene = ""
	SceneIndoor  Scene = "indoor"
	SceneOutdoor Scene = "outdoor"
	SceneObject  Scene = "object"
)

// Options are the options of Build. With the zero value, Build derives everything from the data.
type Options struct {
	// Scene is the kind of the capture. With SceneAuto, Build finds it.
	Scene Scene
	// Resolution is the side of a voxel in the unit of the file. 0 means DefaultResolution in
	// metres, doubled until the grid fits into memory.
	Resolution float64
	// Opacity is the minimum opacity of a solid voxel; 0 means DefaultOpacity.
	Opacity float64
	// Start is the position of the eye at the start. If it is nil, Build finds a position.
	Start *[3]float64
	// View is the view that the capture's exporter suggests; nil means none. Build starts there
	// if a person can stand there and Start is nil.
	View *View
	// Up is the direction that the file declares as up, a unit vector in the coordinates of
	// viewers; nil means that it declares none, so that its axes are those of 3DGS.
	Up *[3]float64
	// Normalised reports whether the trainer has scaled the capture to a unit cube, so that the
	// unit of a small capture is probably not the metre.
	Normalised bool
}

// View is the position of the eye and the point that it looks at, in the coordinates of viewers.
type View struct{ Position, Target [3]float64 }

// Start is the first view of a visitor, in the coordinates of viewers.
type Start struct {
	// Position is the position of the eye, and Target the point that it looks at.
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	// Up is the direction that is up in the capture, a unit vector. Viewers expect y. Other
	// captures must be rotated before visitors can walk in them.
	Up [3]float64 `json:"up"`
	// Certainty is how sure it is that Up is right, from 0 to 1. Below Sure, Up is the direction
	// that the file declares, or y.
	Certainty float64 `json:"certainty"`
	// Scene is the kind that was found or given.
	Scene Scene `json:"scene"`
	// WalkableArea is the area that a visitor can reach from the start, in square metres; 0 for
	// an object.
	WalkableArea float64 `json:"walkable_area"`
	// DoubtfulScale reports whether the capture's unit is probably not the metre: it would be
	// smaller than a chair or larger than a town, or its rooms higher than a cathedral.
	DoubtfulScale bool `json:"doubtful_scale,omitempty"`
}

// The limits of Build.
const (
	// maxGaussians is the maximum number of Gaussians. Build reads the finest level that does not
	// exceed it.
	maxGaussians = 16 << 20
	// maxVoxels is the maximum number of voxels in a grid, which then takes 128 MiB.
	maxVoxels = 1 << 30
	// maxResolution is the side of the largest voxels that Build chooses, in metres.
	maxResolution = 6.4
	// maxExtent and maxShare limit half the size of a Gaussian, in metres and as a share of the
	// capture; the larger limit applies. Larger Gaussians belong to the sky.
	maxExtent = 3.0
	maxShare  = 0.02
	// outliers is the share of centres that is ignored at each end of each axis to find the box
	// of nearly all centres, and surroundings is how far the capture may extend beyond this box,
	// in metres. One floater at a distance of a kilometre would make a grid of 10^13 voxels.
	surroundings = 2.0
	outliers     = 0.001
	// Trainers also scatter several percent of the Gaussians over millions of metres. If the box is
	// more than scattered times as large as the box without the share manyOutliers, the latter counts,
	// with as much around it.
	manyOutliers, scattered = 0.05, 1000
	// minWalkable is the minimum size of a capture in which visitors can walk, in metres.
	minWalkable = 5.0
)

// The minimum and maximum diagonal of captures whose unit is probably the metre.
const minDiagonal, maxDiagonal = 0.5, 5000.0

// maxNormalised is the maximum diagonal of a capture that a trainer has scaled to a unit cube, with
// what is around the cube.
const maxNormalised = 5.0

// errNoGaussians returns the error of a capture without visible Gaussians.
func errNoGaussians() error { return &input.Error{Message: "The capture has no visible Gaussians"} }

// errTooLarge returns the error of a capture whose grid would be too large.
func errTooLarge(resolution float64) error {
	return &input.Error{Message: fmt.Sprintf("The capture is too large for voxels of %g m", resolution), Advice: "Use larger voxels"}
}

// Build makes the collision of a capture and finds the start. It leaves out Gaussians that are
// far away from nearly all others, and Gaussians that are as large as a sky. A capture that is too
// large, or has no visible Gaussians, is an *input.Error.
//
// All limits are in metres. A capture in another unit, such as millimetres, is scaled to metres
// first, and its result back, so that it gets the same start and voxels as in metres.
//
// The steps and their shares of the progress, in percent:
//
//	 0 to  20  read the Gaussians, and leave out those that are far away or a sky
//	20 to  80  find the direction that is up, and the solid voxels
//	80 to  95  find the scene and the start, fill, and carve
//	95 to 100  build the octree
func Build(ctx context.Context, source gaussian.Source, o Options, w Work) (*Collision, error) {
	chosen, err := finest(source)
	if err != nil {
		return nil, err
	}
	cloud, err := readGaussians(ctx, source, chosen, w.step(0, 20, "Reading Gaussians"))
	if err != nil {
		return nil, err
	}
	c := &Collision{SceneBounds: cloud.bounds}
	if cloud.len() == 0 {
		return nil, errNoGaussians()
	}
	o, units := cloud.toMetres(o)
	if c.Floaters = cloud.removeFar(); cloud.len() == 0 {
		return nil, errNoGaussians()
	}
	// The orientation needs the Gaussians, which are released before the next grids are allocated.
	found := cloud.orient(o.ownUp())
	c.Steps, err = o.steps(cloud.bounds, units)
	if err != nil {
		return nil, err
	}
	g, err := c.Steps.solid(ctx, cloud, c.Steps.everyPadding(), w)
	if err != nil {
		return nil, err
	}
	b := builder{options: o, work: w, found: found, unitsPerMetre: units, grid: g, collision: c}
	if err := b.rotate(ctx, cloud); err != nil {
		return nil, err
	}
	cloud.release()
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	c.grid = g
	if c.Octree, err = g.octree(ctx); err == nil && units != 1 {
		c.scale(units)
	}
	return c, err
}

// ownUp returns the direction that the axes of the file give, and reports whether the file declares it.
func (o Options) ownUp() (up [3]float64, declared bool) {
	if o.Up != nil {
		return *o.Up, true
	}
	return axisVector(1), false
}

// finest returns the finest level that is not too large. The environment is not a level, so it is
// never solid.
func finest(source gaussian.Source) (level int, err error) {
	for level, n := range source.Levels() {
		if n <= maxGaussians {
			return level, nil
		}
	}
	return 0, &input.Error{Message: fmt.Sprintf("The capture has more than %d Gaussians in each of its levels, too many for a collision", maxGaussians)}
}

// release returns the memory to the system now. The garbage collector would keep it while the
// next steps allocate grids of the same size.
func (g *gaussians) release() {
	*g = gaussians{}
	debug.FreeOSMemory()
}

// removeFar removes the Gaussians that are far from nearly all others or as large as a sky, and
// returns their number. If that would remove most Gaussians, it removes none, because then the
// capture consists of them. It filters the list in place.
func (g *gaussians) removeFar() int {
	low, high := g.nearBox()
	largest := max(maxExtent, maxShare*orientation{low: low, high: high}.diagonal())
	// A sample decides whether most Gaussians are near, because filter cannot be undone.
	near := func(i int, half [3]float64) bool {
		p := g.position(i)
		for k := range 3 {
			v := float64(p[k])
			if v < low[k]-surroundings || v > high[k]+surroundings || half[k] > largest {
				return false
			}
		}
		return true
	}
	all, kept := 0, 0
	g.visitSample(func(i int) {
		all++
		if near(i, g.extent(i)) {
			kept++
		}
	})
	if 2*kept < all {
		return 0
	}
	before := g.len()
	g.filter(near)
	return before - g.len()
}

// nearBox returns the box of nearly all centres.
func (g *gaussians) nearBox() (low, high [3]float64) {
	low, high = g.middleBox(outliers)
	var near orientation
	near.low, near.high = g.middleBox(manyOutliers)
	size := near.diagonal()
	if size == 0 || (orientation{low: low, high: high}).diagonal() < scattered*size {
		return low, high
	}
	for k := range 3 {
		near.low[k] -= size
		near.high[k] += size
	}
	return near.low, near.high
}

// steps returns the steps for a capture of this size in metres, before the scene is known. Its error
// is in the unit of the file.
func (o Options) steps(bounds Bounds, unitsPerMetre float64) (s Steps, err error) {
	s = Steps{Resolution: o.Resolution, Opacity: o.Opacity}
	if s.Opacity == 0 {
		s.Opacity = DefaultOpacity
	}
	if s.Resolution == 0 {
		for s.Resolution = DefaultResolution; s.voxels(bounds) > maxVoxels; s.Resolution *= 2 {
			if s.Resolution > maxResolution {
				break
			}
		}
	}
	if s.voxels(bounds) > maxVoxels {
		return s, errTooLarge(s.Resolution * unitsPerMetre)
	}
	return s, nil
}

// voxels returns the number of voxels of the grid around a box, with all paddings.
func (s Steps) voxels(bounds Bounds) float64 {
	aligned := bounds.align(s.everyPadding(), s.Resolution)
	n := 1.0
	for k := range 3 {
		n *= math.Max(1, (aligned.Max[k]-aligned.Min[k])/s.Resolution)
	}
	return n
}

// everyPadding returns the padding of a grid before the scene is known: enough for any scene.
func (s Steps) everyPadding() [3]float64 {
	s.ExteriorRadius = DefaultFillRadius
	return s.padding()
}
