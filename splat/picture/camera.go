package picture

import (
	"math"

	"portico/splat/gaussian"
)

// The view of posters: slightly from the side and from above, like the view of a model on
// a table.
const (
	viewAzimuth   = 32 * math.Pi / 180
	viewElevation = 26 * math.Pi / 180
)

// FieldOfView is the vertical field of view of posters in degrees. The page of a space has the same.
const FieldOfView = 60

const (
	// margin is the ratio of the size of the picture to the size of the scene in it.
	margin = 1.14
	// minRadius is the minimum size of a scene, less than any capture has, in whatever unit. Without
	// it the camera would be inside a scene that is a point.
	minRadius = 1e-6
	// maxDistance is the maximum of coordinates that are drawn, in metres. Beyond it, float32 is
	// too coarse.
	maxDistance = 1e9
)

// Camera is the viewpoint of a picture in the coordinates of gaussian.Cloud: up is -y.
type Camera struct {
	Eye, Target [3]float64
	// Down is the direction that is down in the picture, of any length; zero means y.
	Down [3]float64
	// FieldOfView is the vertical field of view in degrees, between 0 and 180
	// exclusive.
	FieldOfView float64
}

// Facing returns a camera that shows the whole scene in a picture of this size. The scene is
// the region with most of the Gaussians and everything that is connected to it, such as the
// head of a statue. Outliers, and a background of up to half of the Gaussians, do not move the
// camera away.
//
// The points then have coordinates of the camera. Along each axis the distance and the
// centre follow from the outermost points alone; the two axes share the distance, and the larger
// one counts.
func Facing(c *gaussian.Cloud, width, height int) Camera {
	return FacingFrom(c, [3]float64{0, 1, 0}, width, height)
}

// FacingFrom returns the camera of Facing with another direction that is down in the picture, of any
// length except zero.
func FacingFrom(c *gaussian.Cloud, down [3]float64, width, height int) Camera {
	// The view direction is fixed. For the distance and the centre there are exact solutions.
	away := awayFrom(down, viewAzimuth)
	scene := findScene(c)
	camera := Camera{Eye: add(scene.centre(), away, 1), Target: scene.centre(), Down: down, FieldOfView: FieldOfView}
	axes := camera.axes()
	tangentY := math.Tan(FieldOfView*math.Pi/360.0) / margin
	tangentX := tangentY * float64(width) / float64(height)
	points := make([][3]float64, len(scene.points))
	for i, point := range scene.points {
		offset := add(point, scene.centre(), -1)
		points[i] = [3]float64{dot(axes[0], offset), dot(axes[1], offset), dot(axes[2], offset)}
	}
	distance := max(minDistance(points, 0, tangentX), minDistance(points, 1, tangentY)) + scene.padding/min(tangentX, tangentY)
	camera.Target = add(camera.Target, axes[0], centreOffset(points, 0, tangentX, distance))
	camera.Target = add(camera.Target, axes[1], centreOffset(points, 1, tangentY, distance))
	camera.Eye = add(camera.Target, away, distance)
	return camera
}

// awayFrom returns the direction from the scene to the camera, with a turn about down.
func awayFrom(down [3]float64, azimuth float64) [3]float64 {
	down = unit(down, [3]float64{0, 1, 0})
	aside := unit(cross(down, [3]float64{0, 0, 1}), [3]float64{1, 0, 0})
	ahead := cross(aside, down)
	away := add([3]float64{}, aside, math.Sin(azimuth)*math.Cos(viewElevation))
	away = add(away, ahead, -math.Cos(azimuth)*math.Cos(viewElevation))
	return add(away, down, -math.Sin(viewElevation))
}

// viewBounds returns the conditions for all points to be in view along an axis. If the eye is
// at e on the axis and at the distance d, d*tangent + e must be at least first, and d*tangent -
// e at least second.
func viewBounds(points [][3]float64, axis int, tangent float64) (first, second float64) {
	for i, p := range points {
		a, b := p[axis]-tangent*p[2], -p[axis]-tangent*p[2]
		if i == 0 {
			first, second = a, b
		}
		first, second = max(first, a), max(second, b)
	}
	return first, second
}

// minDistance returns the minimum distance from which all points are in view along an
// axis.
func minDistance(points [][3]float64, axis int, tangent float64) float64 {
	first, second := viewBounds(points, axis, tangent)
	return (first + second) / (2 * tangent)
}

// centreOffset returns the position on an axis from which the points have the same margin
// on both sides. The distance must be at least minDistance.
func centreOffset(points [][3]float64, axis int, tangent, distance float64) float64 {
	first, second := viewBounds(points, axis, tangent)
	low, high := first-tangent*distance, tangent*distance-second
	const steps = 20 // of a bisection, down to a millionth of the interval
	for range steps {
		e := (low + high) / 2
		before, after := 0.0, 0.0 // tangents of the outermost points on each side
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

// axes returns the camera's right, down and forward unit vectors.
//
// The axes are orthonormal, and right-handed like the axes of the cloud:
//
//	right      cross(down, forward)
//	down       cross(forward, right)
//	forward    from the eye to the target
func (c Camera) axes() [3][3]float64 {
	forward := unit(add(c.Target, c.Eye, -1), [3]float64{0, 0, 1})
	across := [3]float64{1, 0, 0}
	if math.Abs(forward[0]) > 0.9 {
		across = [3]float64{0, 0, 1}
	}
	right := unit(cross(unit(c.Down, [3]float64{0, 1, 0}), forward), across) // for a view straight up or down any direction is right
	return [3][3]float64{right, cross(forward, right), forward}
}

// distance returns the distance between eye and target.
func (c Camera) distance() float64 {
	d := add(c.Target, c.Eye, -1)
	return math.Sqrt(dot(d, d))
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func add(a, b [3]float64, factor float64) [3]float64 {
	return [3]float64{a[0] + factor*b[0], a[1] + factor*b[1], a[2] + factor*b[2]}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// unit returns the vector scaled to length one, or fallback if it is too short to have a
// direction.
func unit(a, fallback [3]float64) [3]float64 {
	length := math.Sqrt(dot(a, a))
	if !(length > 1e-12) {
		return fallback
	}
	return [3]float64{a[0] / length, a[1] / length, a[2] / length}
}
