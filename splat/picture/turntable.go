package picture

import (
	"context"
	"image"
	"image/color"
	"math"

	"portico/splat/gaussian"
)

// Turntable draws a cloud from all sides, as on a rotating table.
type Turntable struct {
	// Width and Height are the size of the frames in pixels.
	Width, Height int
	// Frames is the number of frames of one turn.
	Frames int
	// Down is the direction that is down in the frames, of any length; zero means y.
	Down [3]float64
}

// Draw calls visit with the frames in order, starting with the view of posters. Each frame
// shows the whole scene from the same distance. visit must not use the frame after it has
// returned.
func (t Turntable) Draw(ctx context.Context, cloud *gaussian.Cloud, visit func(number int, frame *image.RGBA) error) error {
	// In the few colours of an animation a gradient would show steps.
	background := color.Gray{Y: 228}
	for i, camera := range t.cameras(cloud) {
		frame, err := Render(ctx, cloud, Options{Width: t.Width, Height: t.Height, Camera: &camera, Top: background, Bottom: background})
		if err != nil {
			return err
		}
		reduceColours(frame)
		if err := visit(i, frame); err != nil {
			return err
		}
	}
	return nil
}

// cameras returns the cameras of all frames.
//
// All cameras have the largest of the distances that the frames need, so that the scene does not
// seem to come and go.
func (t Turntable) cameras(cloud *gaussian.Cloud) []Camera {
	down := unit(t.Down, [3]float64{0, 1, 0})
	s := findScene(cloud)
	target := s.middle(down)
	cameras := make([]Camera, t.Frames)
	distance := 0.0
	for i := range cameras {
		azimuth := viewAzimuth + 2*math.Pi*float64(i)/float64(t.Frames)
		cameras[i] = Camera{Eye: add(target, awayFrom(down, azimuth), 1), Target: target, Down: t.Down, FieldOfView: FieldOfView}
		distance = max(distance, wholeDistance(s, cameras[i], t.Width, t.Height))
	}
	for i, c := range cameras {
		cameras[i].Eye = add(target, add(c.Eye, target, -1), distance)
	}
	return cameras
}

// middle returns the centre of the scene, moved along a direction to the middle of its
// points.
func (s scene) middle(along [3]float64) [3]float64 {
	low, high := 0.0, 0.0
	for i, p := range s.points {
		at := dot(along, add(p, s.centre(), -1))
		if i == 0 {
			low, high = at, at
		}
		low, high = min(low, at), max(high, at)
	}
	return add(s.centre(), along, (low+high)/2)
}

// wholeDistance returns the minimum distance from which a camera that looks at its target sees
// the whole scene in a picture of this size.
func wholeDistance(s scene, c Camera, width, height int) float64 {
	axes := c.axes()
	tangentY := math.Tan(FieldOfView*math.Pi/360.0) / margin
	tangentX := tangentY * float64(width) / float64(height)
	distance := minRadius
	for _, p := range s.points {
		line := add(p, c.Target, -1)
		sides := max(math.Abs(dot(axes[0], line))/tangentX, math.Abs(dot(axes[1], line))/tangentY)
		distance = max(distance, sides-dot(axes[2], line))
	}
	return distance + s.padding/min(tangentX, tangentY)
}

// reduceColours rounds the colours of a frame to 6 bits, which halves the size of a
// lossless file and is barely visible in motion.
func reduceColours(frame *image.RGBA) {
	for i, v := range frame.Pix {
		if i%4 != 3 {
			frame.Pix[i] = v&^3 | v>>6
		}
	}
}
