package picture

import (
	"math"

	"portico/splat/gaussian"
)

const (
	// lowPass is added to the variance of every ellipse, in square pixels, so that
	// Gaussians smaller than a pixel are not lost between pixels. The value is from
	// the reference implementation of 3DGS (Kerbl et al., 2023).
	lowPass = 0.3
	// minAlpha is the minimum opacity of a Gaussian at a pixel that is drawn.
	minAlpha = 1.0 / 255
	// nearPlaneShare is the distance of the near plane as a share of the distance to
	// the target. Nearer Gaussians would cover the picture.
	nearPlaneShare = 0.1
	// maxSlopeFactor limits the slope of the projection outside of the picture, as a factor of the
	// field of view. Without it, the size of ellipses far outside would have no limit.
	maxSlopeFactor = 1.3
	// maxColour limits a colour channel; 1 is white.
	maxColour = 2
)

// ellipse is a Gaussian projected to the picture. Lengths are in pixels.
type ellipse struct {
	x, y    float32 // the centre; the first pixel's is 0.5
	a, b, c float32 // its alpha is opacity*exp(-(a*dx*dx + 2*b*dx*dy + c*dy*dy)/2)
	// cutoff is the value of the quadratic form at which alpha falls below minAlpha.
	cutoff                float32
	halfWidth, halfHeight float32 // half of the box around what can be seen
	opacity               float32
	colour                [3]float32
	depth                 float32 // 0 if it is not visible
}

// projector projects Gaussians for one camera.
type projector struct {
	eye                  [3]float64
	axes                 [3][3]float64
	focal                float64 // focal length in pixels, the same for x and y
	centreX, centreY     float64
	maxSlopeX, maxSlopeY float64 // limits of the slope, as tangents
	nearPlane            float64
}

// newProjector returns the projector for a camera and a picture of this size. Pixels are square.
func newProjector(camera Camera, width, height int) *projector {
	tangent := math.Tan(camera.FieldOfView * math.Pi / 360)
	p := &projector{
		eye: camera.Eye, axes: camera.axes(), focal: float64(height) / 2 / tangent,
		centreX: float64(width) / 2, centreY: float64(height) / 2, nearPlane: nearPlaneShare * camera.distance(),
	}
	p.maxSlopeX, p.maxSlopeY = maxSlopeFactor*p.centreX/p.focal, maxSlopeFactor*p.centreY/p.focal
	return p
}

// project projects Gaussian i to the picture. It linearises the projection at the centre, so
// that the result is a Gaussian too (Zwicker et al., "EWA Splatting", 2002).
//
// A Gaussian without a visible part has the depth 0, and nothing else of its ellipse is used.
func (p *projector) project(c *gaussian.Cloud, i int) ellipse {
	opacity := float64(c.Opacities[i])
	at := [3]float64{float64(c.Positions[3*i]), float64(c.Positions[3*i+1]), float64(c.Positions[3*i+2])}
	line := add(at, p.eye, -1)
	x, y, z := dot(p.axes[0], line), dot(p.axes[1], line), dot(p.axes[2], line)
	// The condition is negated so that it also drops NaN.
	if !(opacity >= minAlpha && z > p.nearPlane && z < maxDistance) {
		return ellipse{}
	}
	// The inverse of the covariance is the quadratic form of the exponent.
	f := p.footprint(c, i, x/z, y/z, z)
	e := ellipse{
		x: float32(p.centreX + p.focal*x/z), y: float32(p.centreY + p.focal*y/z),
		a: float32(f.yy / f.determinant), b: float32(-f.xy / f.determinant), c: float32(f.xx / f.determinant),
		cutoff:  float32(2 * math.Log(min(opacity, 1)/minAlpha)),
		opacity: float32(min(opacity, 1)), depth: float32(z),
	}
	e.halfWidth = float32(math.Sqrt(float64(e.cutoff) * f.xx))
	e.halfHeight = float32(math.Sqrt(float64(e.cutoff) * f.yy))
	e.colour = viewColour(c, i, unit(line, p.axes[2]))
	// If a value is too large for float32, the sum is infinite or NaN, and sum-sum is NaN.
	if sum := e.a + e.b + e.c + e.halfWidth + e.halfHeight + e.x + e.y; sum-sum != 0 || !(e.a > 0 && e.c > 0) {
		return ellipse{}
	}
	return e
}

// footprint is the covariance of a projected Gaussian in square pixels.
type footprint struct{ xx, xy, yy, determinant float64 }

// footprint returns the footprint of Gaussian i at a slope and a depth. The covariance is the
// sum of the covariances of the three projected axes and of the low pass. The determinant is
// computed as a sum of squared areas, because in xx*yy - xy*xy the digits of a thin ellipse
// cancel.
//
// An axis of the Gaussian that is moved by its standard deviation moves the projected centre by (u,
// v): by its parts to the right and down, and by its part forward, which shifts the centre along
// its slope.
func (p *projector) footprint(c *gaussian.Cloud, i int, slopeX, slopeY, z float64) footprint {
	slopeX, slopeY = min(max(slopeX, -p.maxSlopeX), p.maxSlopeX), min(max(slopeY, -p.maxSlopeY), p.maxSlopeY)
	var u, v [3]float64 // x and y of the Gaussian's three axes on the picture
	for k, column := range rotationColumns([4]float32(c.Rotations[4*i:])) {
		size := p.focal / z * math.Exp(float64(c.Scales[3*i+k]))
		forward := dot(p.axes[2], column)
		u[k] = size * (dot(p.axes[0], column) - slopeX*forward)
		v[k] = size * (dot(p.axes[1], column) - slopeY*forward)
	}
	uu, vv, areas := dot(u, u), dot(v, v), cross(u, v)
	return footprint{lowPass + uu, dot(u, v), lowPass + vv, lowPass*(lowPass+uu+vv) + dot(areas, areas)}
}

// rotationColumns returns the columns of the rotation matrix of a quaternion of any
// length.
func rotationColumns(q [4]float32) [3][3]float64 {
	x, y, z, w := float64(q[0]), float64(q[1]), float64(q[2]), float64(q[3])
	s := 2 / (x*x + y*y + z*z + w*w)
	return [3][3]float64{
		{1 - s*(y*y+z*z), s * (x*y + z*w), s * (x*z - y*w)},
		{s * (x*y - z*w), 1 - s*(x*x+z*z), s * (y*z + x*w)},
		{s * (x*z + y*w), s * (y*z - x*w), 1 - s*(x*x+y*y)},
	}
}

// viewColour returns the colour of a Gaussian seen along a unit vector. Negative values become
// black, as in training, and NaN too.
func viewColour(c *gaussian.Cloud, i int, direction [3]float64) [3]float32 {
	n := gaussian.Coefficients(c.Degree)
	var basis [(gaussian.MaxDegree+1)*(gaussian.MaxDegree+1) - 1]float32
	gaussian.SetBasis(c.Degree, float32(direction[0]), float32(direction[1]), float32(direction[2]), basis[:])
	var rgb [3]float32
	for channel := range rgb {
		v := 0.5 + gaussian.C0*c.Colours[3*i+channel]
		for k, h := range c.Harmonics[(3*i+channel)*n : (3*i+channel+1)*n] {
			v += basis[k] * h
		}
		if v > 0 { // false for NaN
			rgb[channel] = min(v, maxColour)
		}
	}
	return rgb
}
