package picture

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// The view that posters are drawn from: a little to the side and from above, as
// one looks at a model on a table.
const (
	viewAzimuth   = 32 * math.Pi / 180
	viewElevation = 26 * math.Pi / 180
	viewField     = 45 // degrees
)

const (
	// looked is how many Gaussians, evenly chosen, decide where the camera
	// stands.
	looked = 10_000
	// faint is the opacity below which a Gaussian does not.
	faint = 0.1
	// margin is what is left free around the scene.
	margin = 1.14
	// smallestRadius keeps the camera off a scene that is a point, in metres.
	smallestRadius = 1e-3
	// farthest bounds the coordinates that are drawn, in metres: beyond, float32
	// has no digits left to draw with.
	farthest = 1e9
)

// Camera is where a picture is taken from, in the coordinates of gaussian.Cloud:
// up is -y.
type Camera struct {
	Eye, Target [3]float64
	// FieldOfView is the vertical one, in degrees, more than 0 and less than 180.
	FieldOfView float64
}

// Facing returns a camera that has the scene in full view in a picture of this
// size. The scene is where most Gaussians are: single ones far away do not push
// the camera back, and neither does a background of up to half of them.
func Facing(c *gaussian.Cloud, width, height int) Camera {
	away := [3]float64{math.Sin(viewAzimuth) * math.Cos(viewElevation), -math.Sin(viewElevation), -math.Cos(viewAzimuth) * math.Cos(viewElevation)}
	scene := sceneOf(c)
	camera := Camera{Eye: add(scene.middle(), away, 1), Target: scene.middle(), FieldOfView: viewField}
	axes := camera.axes()
	tangentY := math.Tan(viewField*math.Pi/360) / margin
	tangentX := tangentY * float64(width) / float64(height)
	points := make([][3]float64, len(scene.points))
	for i, point := range scene.points {
		offset := add(point, scene.middle(), -1)
		points[i] = [3]float64{dot(axes[0], offset), dot(axes[1], offset), dot(axes[2], offset)}
	}
	distance := max(needed(points, 0, tangentX), needed(points, 1, tangentY)) + scene.padding/min(tangentX, tangentY)
	camera.Target = add(camera.Target, axes[0], centre(points, 0, tangentX, distance))
	camera.Target = add(camera.Target, axes[1], centre(points, 1, tangentY, distance))
	camera.Eye = add(camera.Target, away, distance)
	return camera
}

// sides returns what the points ask of an eye at (e, -d) on an axis of the picture
// and on that into it, so that they are in view: d*tangent + e at least the first
// and d*tangent - e at least the second.
func sides(points [][3]float64, axis int, tangent float64) (first, second float64) {
	for i, p := range points {
		a, b := p[axis]-tangent*p[2], -p[axis]-tangent*p[2]
		if i == 0 {
			first, second = a, b
		}
		first, second = max(first, a), max(second, b)
	}
	return first, second
}

// needed returns the least distance from which all points are in view along an
// axis.
func needed(points [][3]float64, axis int, tangent float64) float64 {
	first, second := sides(points, axis, tangent)
	return (first + second) / (2 * tangent)
}

// centre returns where on an axis an eye at a distance, needed or more, has as
// much room on either side of the points.
func centre(points [][3]float64, axis int, tangent, distance float64) float64 {
	first, second := sides(points, axis, tangent)
	low, high := first-tangent*distance, tangent*distance-second
	const steps = 20 // halvings: to a millionth
	for range steps {
		e := (low + high) / 2
		before, after := 0.0, 0.0 // tangents of the outermost points
		for _, p := range points {
			t := (p[axis] - e) / (p[2] + distance)
			before, after = min(before, t), max(after, t)
		}
		if after > -before {
			low = e
		} else {
			high = e
		}
	}
	return (low + high) / 2
}

// scene is where most of a cloud is.
type scene struct {
	low, high [3]float64
	points    [][3]float64 // in the box
	padding   float64      // how far Gaussians reach beyond their centres
}

// middle is what the camera turns around.
func (s scene) middle() [3]float64 {
	return [3]float64{(s.low[0] + s.high[0]) / 2, (s.low[1] + s.high[1]) / 2, (s.low[2] + s.high[2]) / 2}
}

// contains tells whether a point is in the box, its faces included: flat scenes
// have no inside.
func (s scene) contains(p [3]float64) bool {
	for k, v := range p {
		if v < s.low[k] || v > s.high[k] {
			return false
		}
	}
	return true
}

// sceneOf finds the box from the quartiles of each coordinate: it reaches so far
// beyond them that an even spread is inside, but not what lies apart.
func sceneOf(c *gaussian.Cloud) scene {
	chosen := chosen(c)
	if len(chosen) == 0 {
		return scene{padding: 1}
	}
	var s scene
	values := make([]float64, len(chosen))
	for k := range 3 {
		for n, i := range chosen {
			values[n] = float64(c.Positions[3*i+k])
		}
		slices.Sort(values)
		quantile := func(q float64) float64 { return values[int(math.Round(q*float64(len(values)-1)))] }
		lower, upper := quantile(0.25), quantile(0.75)
		reach := upper - lower
		s.low[k] = max(lower-reach, quantile(0.01))
		s.high[k] = min(upper+reach, quantile(0.99))
	}
	for n, i := range chosen {
		if p := c.Positions[3*i:]; s.contains([3]float64{float64(p[0]), float64(p[1]), float64(p[2])}) {
			s.points = append(s.points, [3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
		}
		values[n] = math.Exp(float64(max(c.Scales[3*i], c.Scales[3*i+1], c.Scales[3*i+2])))
	}
	slices.Sort(values)
	s.padding = min(max(2*values[len(values)/2], smallestRadius), farthest)
	return s
}

// chosen returns some Gaussians that can be seen, spread over the cloud. Where
// hardly any can, faint ones are better than none.
func chosen(c *gaussian.Cloud) []int {
	step := max(c.Len()/looked, 1)
	var all, clear []int
	for i := 0; i < c.Len(); i += step {
		p := c.Positions[3*i : 3*i+3]
		if !(near(p[0]) && near(p[1]) && near(p[2])) {
			continue
		}
		all = append(all, i)
		if c.Opacities[i] >= faint {
			clear = append(clear, i)
		}
	}
	if len(clear) > len(all)/20 {
		return clear
	}
	return all
}

// near is false for what is too far away and for what is no number.
func near(v float32) bool { return math.Abs(float64(v)) <= farthest }

// axes returns the camera's right, down and forward, of length one.
func (c Camera) axes() [3][3]float64 {
	forward := unit(add(c.Target, c.Eye, -1), [3]float64{0, 0, 1})
	right := unit(cross([3]float64{0, 1, 0}, forward), [3]float64{1, 0, 0}) // straight down or up: any
	return [3][3]float64{right, cross(forward, right), forward}
}

// distance returns how far away the target is.
func (c Camera) distance() float64 {
	d := add(c.Target, c.Eye, -1)
	return math.Sqrt(dot(d, d))
}

// dot returns the scalar product.
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// add returns a + factor*b.
func add(a, b [3]float64, factor float64) [3]float64 {
	return [3]float64{a[0] + factor*b[0], a[1] + factor*b[1], a[2] + factor*b[2]}
}

// cross returns the vector product.
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// unit returns a vector of length one, or another where there is no direction.
func unit(a, otherwise [3]float64) [3]float64 {
	length := math.Sqrt(dot(a, a))
	if !(length > 1e-12) {
		return otherwise
	}
	return [3]float64{a[0] / length, a[1] / length, a[2] / length}
}
