package picture

import (
	"math"

	"portico/splat/gaussian"
)

const (
	// lowPass is added to the variance of every ellipse, in square pixels, so
	// that what is smaller than a pixel does not fall between pixels (Kerbl et
	// al., "3D Gaussian Splatting", as in its implementation).
	lowPass = 0.3
	// leastAlpha is what a pixel must get of a Gaussian for it to be drawn there.
	leastAlpha = 1.0 / 255
	// nearest is how near to the camera Gaussians are drawn, as a share of the
	// distance to the target: nearer ones are specks in front of the lens.
	nearest = 0.1
	// beyond is how far outside of the picture the slope of the projection is
	// taken as it is, as a factor of the field of view; farther out it would
	// blow ellipses up without bound.
	beyond = 1.3
	// brightest bounds a colour; 1 is white.
	brightest = 2
)

// ellipse is a Gaussian as it falls on the picture. Lengths are in pixels.
type ellipse struct {
	x, y    float32 // the centre; that of the first pixel is 0.5
	a, b, c float32 // what is drawn of it is opacity*exp(-(a*dx*dx + 2*b*dx*dy + c*dy*dy)/2)
	// reach is the largest value of that form at which it can be seen.
	reach         float32
	width, height float32 // half of the box around what can be seen
	opacity       float32
	colour        [3]float32
	depth         float32 // 0 if it cannot be seen at all
}

// projector projects Gaussians for one camera.
type projector struct {
	eye              [3]float64
	axes             [3][3]float64
	focal            float64 // in pixels, the same across and down
	centreX, centreY float64
	limitX, limitY   float64 // tangents up to which the slope is taken as it is
	nearest          float64
}

// newProjector returns the projector of a camera for a picture of a size, in
// pixels. Pixels are square.
func newProjector(camera Camera, width, height int) *projector {
	tangent := math.Tan(camera.FieldOfView * math.Pi / 360)
	p := &projector{
		eye: camera.Eye, axes: camera.axes(), focal: float64(height) / 2 / tangent,
		centreX: float64(width) / 2, centreY: float64(height) / 2, nearest: nearest * camera.distance(),
	}
	p.limitX, p.limitY = beyond*p.centreX/p.focal, beyond*p.centreY/p.focal
	return p
}

// project returns the i-th Gaussian of the cloud as it falls on the picture
// (Zwicker et al., "EWA Splatting": the projection's slope at the centre turns
// the Gaussian into one on the picture).
func (p *projector) project(c *gaussian.Cloud, i int) ellipse {
	opacity := float64(c.Opacities[i])
	at := [3]float64{float64(c.Positions[3*i]), float64(c.Positions[3*i+1]), float64(c.Positions[3*i+2])}
	line := add(at, p.eye, -1)
	x, y, z := dot(p.axes[0], line), dot(p.axes[1], line), dot(p.axes[2], line)
	// Written so that what is no number is not drawn.
	if !(opacity >= leastAlpha && z > p.nearest && z < farthest) {
		return ellipse{}
	}
	f := p.footprint(c, i, x/z, y/z, z)
	e := ellipse{
		x: float32(p.centreX + p.focal*x/z), y: float32(p.centreY + p.focal*y/z),
		a: float32(f.yy / f.determinant), b: float32(-f.xy / f.determinant), c: float32(f.xx / f.determinant),
		reach:   float32(2 * math.Log(min(opacity, 1)/leastAlpha)),
		opacity: float32(min(opacity, 1)), depth: float32(z),
	}
	e.width = float32(math.Sqrt(float64(e.reach) * f.xx))
	e.height = float32(math.Sqrt(float64(e.reach) * f.yy))
	e.colour = colour(c, i, unit(line, p.axes[2]))
	// A size that float32 cannot hold makes one of these no number.
	if sum := e.a + e.b + e.c + e.width + e.height + e.x + e.y; sum-sum != 0 || !(e.a > 0 && e.c > 0) {
		return ellipse{}
	}
	return e
}

// footprint is the covariance of a Gaussian on the picture, in square pixels.
type footprint struct{ xx, xy, yy, determinant float64 }

// footprint returns that of a Gaussian at a slope and a depth. The covariance is
// the sum of those of its three axes and of the low pass, and the determinant is
// summed from areas, because xx*yy - xy*xy loses all digits for thin ellipses.
func (p *projector) footprint(c *gaussian.Cloud, i int, slopeX, slopeY, z float64) footprint {
	slopeX, slopeY = min(max(slopeX, -p.limitX), p.limitX), min(max(slopeY, -p.limitY), p.limitY)
	var u, v [3]float64 // the axes of the Gaussian on the picture
	for k, column := range matrix([4]float32(c.Rotations[4*i:])) {
		size := p.focal / z * math.Exp(float64(c.Scales[3*i+k]))
		forward := dot(p.axes[2], column)
		u[k] = size * (dot(p.axes[0], column) - slopeX*forward)
		v[k] = size * (dot(p.axes[1], column) - slopeY*forward)
	}
	uu, vv, areas := dot(u, u), dot(v, v), cross(u, v)
	return footprint{lowPass + uu, dot(u, v), lowPass + vv, lowPass*(lowPass+uu+vv) + dot(areas, areas)}
}

// matrix returns the columns of the rotation by a quaternion of any length.
func matrix(q [4]float32) [3][3]float64 {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	s := 2 / (x*x + y*y + z*z + w*w)
	return [3][3]float64{
		{1 - s*(y*y+z*z), s * (x*y + z*w), s * (x*z - y*w)},
		{s * (x*y - z*w), 1 - s*(x*x+z*z), s * (y*z + x*w)},
		{s * (x*z + y*w), s * (y*z - x*w), 1 - s*(x*x+y*y)},
	}
}

// colour returns that of a Gaussian seen along a direction of length one. Values
// below black are black, as in training; so is what is no number.
func colour(c *gaussian.Cloud, i int, direction [3]float64) [3]float32 {
	n := gaussian.Coefficients(c.Degree)
	var basis [(gaussian.MaxDegree+1)*(gaussian.MaxDegree+1) - 1]float32
	gaussian.Basis(c.Degree, float32(direction[0]), float32(direction[1]), float32(direction[2]), basis[:])
	var rgb [3]float32
	for channel := range rgb {
		v := 0.5 + gaussian.C0*c.Colours[3*i+channel]
		for k, h := range c.Harmonics[(3*i+channel)*n : (3*i+channel+1)*n] {
			v += basis[k] * h
		}
		if v > 0 { // and so a number
			rgb[channel] = min(v, brightest)
		}
	}
	return rgb
}
