package picture

import (
	"math"

	"portico/splat/gaussian"
)

// Around returns the cameras of one turn about the target of a camera, beginning with the camera
// itself. Where the scene is wider the camera moves away, so that it stays as large in the frames, which
// have this size.
func (c Camera) Around(cloud *gaussian.Cloud, width, height, frames int) []Camera {
	s := findScene(cloud)
	first := wholeDistance(s, c, width, height)
	cameras := make([]Camera, frames)
	for i := range cameras {
		line := c.turned(add(c.Eye, c.Target, -1), 2*math.Pi*float64(i)/float64(frames))
		cameras[i] = c
		cameras[i].Eye = add(c.Target, line, 1)
		cameras[i].Eye = add(c.Target, line, wholeDistance(s, cameras[i], width, height)/first)
	}
	return cameras
}

// glance is how far FromSideToSide looks to either side, in radians.
const glance = 30 * math.Pi / 180

// FromSideToSide returns the cameras of a look to one side, to the other and back, beginning with the
// camera itself, which stays where it is: what is beside it is not known.
func (c Camera) FromSideToSide(frames int) []Camera {
	cameras := make([]Camera, frames)
	for i := range cameras {
		// The sine is rounded, so that the way back has exactly the cameras of the way there.
		aside := math.Round(1e6*math.Sin(2*math.Pi*float64(i)/float64(frames))) / 1e6
		cameras[i] = c
		cameras[i].Target = add(c.Eye, c.turned(add(c.Target, c.Eye, -1), glance*aside), 1)
	}
	return cameras
}

// turned returns a vector that is turned about the direction that is down in the picture.
func (c Camera) turned(v [3]float64, angle float64) [3]float64 {
	axis := unit(c.Down, [3]float64{0, 1, 0})
	sine, cosine := math.Sincos(angle)
	along := add([3]float64{}, axis, dot(axis, v))
	return add(add(along, add(v, along, -1), cosine), cross(axis, v), sine)
}
