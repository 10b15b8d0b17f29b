package voxel

import (
	"math"
	"slices"
)

// The limits of suggested views; lengths are in metres.
const (
	// suggestedAside is the maximum horizontal distance between a place and a suggested view.
	suggestedAside = 1.0
	// suggestedAbove and suggestedBelow are the maximum distances of a suggested eye above and
	// below the floor: some exporters write the position of the feet.
	suggestedAbove, suggestedBelow = 3.0, 0.3
	// lowestEye and highestEye are the heights between which a suggested eye is not changed.
	lowestEye, highestEye = 1.0, 2.2
	// steepest is the sine of the maximum angle between a suggested view and the horizon. Exporters
	// without a direction write a view straight down.
	steepest = 0.7
)

func (v View) rotate(r rotation) View { return View{r.point(v.Position), r.point(v.Target)} }

// viewpointAt returns a viewpoint at the place nearest to a suggested view, and reports whether
// there is one. It uses the suggested eye and direction if a standing person can have them: the eye
// at a usual height above the floor, and the view not too steep. The grid and the view have y up.
func (g *grid) viewpointAt(v View, workers int) (s viewpoint, ok bool) {
	// The suggested position itself may be inside a floor or in the air.
	at, ok := g.nearest(v.Position, workers)
	if !ok {
		return viewpoint{}, false
	}
	s, _ = g.lookFrom(at)
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
		// If the floors of two storeys are near, the floor closest in height is nearer.
		if d := aside + math.Abs(above)/10; d < shortest {
			shortest, best, ok = d, p, true
		}
	}
	return best, ok
}
