package voxel

import (
	"math"
	"slices"
)

// How far a place may be from a suggested one, in metres.
const (
	// suggestedAside is the largest distance across the floor.
	suggestedAside = 1.0
	// suggestedAbove is the largest height of a suggested eye above the floor, and
	// suggestedBelow its largest depth below it: some exporters mean the feet.
	suggestedAbove, suggestedBelow = 3.0, 0.3
	// lowestEye and highestEye are the heights that are kept as they are suggested.
	lowestEye, highestEye = 1.0, 2.2
	// steepest is the sine of the largest angle between a suggested view and the horizon.
	// Exporters that know no direction write one straight down.
	steepest = 0.7
)

// turned returns the view in a turned grid.
func (v View) turned(t turn) View { return View{t.point(v.Position), t.point(v.Target)} }

// viewpointAt returns the place to stand that is next to a suggested view, and reports whether
// there is one. The view is kept where people can have it: above the floor at the height of
// an eye, and not looking at their feet.
func (g *grid) viewpointAt(v View, workers int) (s viewpoint, ok bool) {
	at, ok := g.nearest(v.Position, workers)
	if !ok {
		return viewpoint{}, false
	}
	s, _ = g.look(at)
	for _, r := range g.regions(workers) {
		if slices.Contains(r.places, at) {
			s.area = r.area
		}
	}
	s.eye = g.eye(at)
	floor := s.eye[1] - eyeHeight
	inVoxel := g.voxelAt(v.Position)
	if h := v.Position[1] - floor; h >= lowestEye && h <= highestEye && !g.has(inVoxel[0], inVoxel[1], inVoxel[2]) {
		s.eye = v.Position
	}
	s.lookAhead()
	var ahead [3]float64
	length := 0.0
	for k := range 3 {
		ahead[k] = v.Target[k] - v.Position[k]
		length += ahead[k] * ahead[k]
	}
	if length = math.Sqrt(length); length > 1e-6 && math.Abs(ahead[1]) <= steepest*length {
		for k := range 3 {
			s.target[k] = s.eye[k] + ahead[k]/length
		}
	}
	return s, true
}

// nearest returns the place to stand that is nearest to a suggested eye.
func (g *grid) nearest(eye [3]float64, workers int) (best place, ok bool) {
	places, _ := g.places(workers)
	shortest := math.Inf(1)
	for _, p := range places {
		floor := g.centre(p.x, p.y, p.z)
		aside, above := math.Hypot(floor[0]-eye[0], floor[2]-eye[2]), eye[1]-floor[1]
		if aside > suggestedAside || above > suggestedAbove || above < -suggestedBelow {
			continue
		}
		// The floor below, and not another storey's, where both are near.
		if d := aside + math.Abs(above)/10; d < shortest {
			shortest, best, ok = d, p, true
		}
	}
	return best, ok
}
