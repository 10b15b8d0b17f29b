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

// The kinds. A room has its exterior filled, a place outdoors what is below its floors.
// An object has no floor to stand on and is looked at from outside.
const (
	SceneAuto    Scene = ""
	SceneIndoor  Scene = "indoor"
	SceneOutdoor Scene = "outdoor"
	SceneObject  Scene = "object"
)

// Options of Build. The zero value finds everything in the data.
type Options struct {
	// Scene is the kind of the capture; SceneAuto finds it.
	Scene Scene
	// Resolution is the side of a voxel in metres. 0 is DefaultResolution, or twice as
	// much until the grid fits.
	Resolution float64
	// Opacity is the opacity of a voxel from which on it is solid; 0 is DefaultOpacity.
	Opacity float64
	// Start is where a person stands, at the height of the eye; nil finds it.
	Start *[3]float64
	// View is the view that the capture's exporter suggests. The start is there if a person
	// can stand there, and Start is nil. It may be nil.
	View *View
}

// View is a place of the eye and a point that it looks at, in the coordinates of viewers.
type View struct{ Position, Target [3]float64 }

// Start is the view that a visitor has first, in the coordinates of viewers.
type Start struct {
	// Position is the place of the eye, and Target what it looks at.
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	// Up is the axis that is up in the capture. Viewers expect y; other captures have
	// to be turned before people can walk in them.
	Up [3]float64 `json:"up"`
	// Scene is the kind that was found or given.
	Scene Scene `json:"scene"`
	// WalkableArea is the area that can be walked on from there, in square metres; 0
	// for an object.
	WalkableArea float64 `json:"walkable_area"`
	// DoubtfulScale reports whether the capture's unit is probably not the metre: it would be
	// smaller than a chair or larger than a town.
	DoubtfulScale bool `json:"doubtful_scale,omitempty"`
}

// Limits of what Build makes.
const (
	// maxGaussians is the number that are read, of the finest level that has no more.
	maxGaussians = 16 << 20
	// maxVoxels is the size of a grid, 128 MiB.
	maxVoxels = 1 << 30
	// maxResolution is the side of the largest voxels that Build chooses, in metres.
	maxResolution = 6.4
	// maxExtent and maxShare are the largest half size of a Gaussian that is a part of
	// something, and not of the sky: in metres, or in a large capture as a share of it.
	maxExtent = 3.0
	maxShare  = 0.02
	// surroundings is how far around nearly all centres others count, in metres. One
	// floater at a kilometre would make a grid of 10^13 voxels.
	surroundings = 2.0
	outliers     = 0.001 // the share of centres at each end of each axis
	// minWalkable is the size of a capture in which viewers let people walk.
	minWalkable = 5.0
)

// The diagonals of captures whose unit may be the metre.
const minDiagonal, maxDiagonal = 0.5, 5000.0

// errNoGaussians returns the error of a capture without visible Gaussians.
func errNoGaussians() error { return &input.Error{Message: "The capture has no visible splats"} }

// errTooLarge returns the error of a capture whose grid would be too large.
func errTooLarge(resolution float64) error {
	return &input.Error{Message: fmt.Sprintf("The capture is too large for voxels of %g m", resolution), Advice: "Use larger voxels"}
}

// Build makes the collision of a capture and finds a place to stand. It leaves out what is
// far away from nearly everything else, and what is as large as a sky.
func Build(ctx context.Context, source gaussian.Source, o Options, w Work) (*Collision, error) {
	chosen, err := finest(source)
	if err != nil {
		return nil, err
	}
	of, err := readGaussians(ctx, source, chosen, w.step(0, 20, "Reading splats"))
	if err != nil {
		return nil, err
	}
	c := &Collision{SceneBounds: of.bounds}
	if of.len() > 0 {
		c.Floaters = of.removeFar()
	}
	if of.len() == 0 {
		return nil, errNoGaussians()
	}
	found := of.orient()
	c.Steps, err = o.steps(of.bounds)
	if err != nil {
		return nil, err
	}
	g, err := c.Steps.solid(ctx, of, c.Steps.everyPadding(), w)
	if err != nil {
		return nil, err
	}
	b := builder{options: o, work: w, found: found, grid: g, collision: c}
	if err := b.turn(ctx, of); err != nil {
		return nil, err
	}
	of.release()
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	c.grid = g
	c.Octree, err = g.octree(ctx)
	return c, err
}

// finest returns the finest level that is not too large. The environment is no level, and
// never solid.
func finest(source gaussian.Source) (level int, err error) {
	for level, n := range source.Levels() {
		if n <= maxGaussians {
			return level, nil
		}
	}
	return 0, &input.Error{Message: fmt.Sprintf("The capture has more than %d splats in each of its levels, too many for a collision", maxGaussians)}
}

// release frees the memory at once: the collector would let it stay beside the grids of the
// steps that follow, which are as large.
func (g *gaussians) release() {
	*g = gaussians{}
	debug.FreeOSMemory()
}

// removeFar removes the Gaussians that are far from nearly all others or as large as a
// sky, and returns how many they are. It removes none if most are: then they are what the
// capture is made of.
func (g *gaussians) removeFar() int {
	low, high := g.middle(outliers)
	largest := max(maxExtent, maxShare*orientation{low: low, high: high}.diagonal())
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
	g.samples(func(i int) {
		all++
		if near(i, g.extent(i)) {
			kept++
		}
	})
	if 2*kept < all {
		return 0
	}
	before := g.len()
	g.keep(near)
	return before - g.len()
}

// steps returns the steps for a capture of this size, before it is known what it is.
func (o Options) steps(bounds Bounds) (s Steps, err error) {
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
		return s, errTooLarge(s.Resolution)
	}
	return s, nil
}

// voxels returns the size of the grid around a box, with all paddings.
func (s Steps) voxels(bounds Bounds) float64 {
	aligned := bounds.align(s.everyPadding(), s.Resolution)
	n := 1.0
	for k := range 3 {
		n *= math.Max(1, (aligned.Max[k]-aligned.Min[k])/s.Resolution)
	}
	return n
}

// everyPadding returns the padding of a grid whose scene is not known yet.
func (s Steps) everyPadding() [3]float64 {
	s.ExteriorRadius = DefaultFillRadius
	return s.padding()
}
