package splat

import (
	"context"
	"fmt"
	"image"
	"image/draw"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

// Turn says how the subject of a picture is shown in motion.
type Turn struct {
	// From is the viewpoint of the first frame; nil shows the whole subject.
	From *Viewpoint
	// LookAround reports whether the viewpoint is inside a place: the camera looks to both sides then.
	// Otherwise it moves once around what it looks at.
	LookAround bool
	// Size is the size of a frame in pixels.
	Size   image.Point
	Frames int
	// Progress is called for every frame.
	Progress func(percent float64, message string)
}

// Turn draws a strip of frames, one below the other. The first is the picture that Pictures draws from
// the same viewpoint, and after the last the motion begins again. A file without Gaussians is an
// *InputError.
func (c *Capture) Turn(ctx context.Context, t Turn) (*image.RGBA, error) {
	if err := c.mustHaveGaussians(); err != nil {
		return nil, err
	}
	cloud, cameras, err := c.camerasOf(ctx, t)
	if err != nil {
		return nil, err
	}
	strip := image.NewRGBA(image.Rect(0, 0, t.Size.X, t.Size.Y*t.Frames))
	drawn := map[picture.Camera]int{} // a camera that comes back sees the same
	for i, camera := range cameras {
		t.Progress(100*float64(i)/float64(t.Frames), fmt.Sprintf("Drawing the turntable: frame %d of %d", i+1, t.Frames))
		at := image.Rectangle{Max: t.Size}.Add(image.Pt(0, i*t.Size.Y))
		if same, ok := drawn[camera]; ok {
			bytes := strip.Stride * t.Size.Y
			copy(strip.Pix[i*bytes:(i+1)*bytes], strip.Pix[same*bytes:])
			continue
		}
		frame, err := picture.Render(ctx, cloud, picture.Options{Width: t.Size.X, Height: t.Size.Y, Camera: &camera})
		if err != nil {
			return nil, err
		}
		drawn[camera] = i
		draw.Draw(strip, at, frame, image.Point{}, draw.Src)
	}
	return strip, nil
}

// The number of Gaussians of a turn, which limits its time. More would hardly be visible in small frames,
// except of a place, where some are close. It has half as many different frames.
const (
	turnedGaussians = 100_000
	placeGaussians  = 200_000
)

// camerasOf returns the cameras of a turn, and what they see.
func (c *Capture) camerasOf(ctx context.Context, t Turn) (*gaussian.Cloud, []picture.Camera, error) {
	camera := t.From.camera()
	if camera != nil && t.LookAround {
		cameras := camera.FromSideToSide(t.Frames)
		ahead, left, right := cameras[0], cameras[t.Frames/4], cameras[t.Frames*3/4] // what the others see is between
		cloud, err := picture.SelectInView(ctx, c.source, t.Size.X, t.Size.Y, ahead, left, right)
		if err != nil {
			return nil, nil, err
		}
		return picture.Thin(cloud, placeGaussians), cameras, nil
	}
	cloud, err := picture.Select(ctx, c.source)
	if err != nil {
		return nil, nil, err
	}
	if camera == nil {
		facing := c.facing(cloud, t.Size)
		camera = &facing
	}
	return picture.Thin(cloud, turnedGaussians), camera.Around(cloud, t.Size.X, t.Size.Y, t.Frames), nil
}

// facing returns the camera that shows the whole subject in a picture of this size.
func (c *Capture) facing(cloud *gaussian.Cloud, size image.Point) picture.Camera {
	if c.up == nil {
		return picture.Facing(cloud, size.X, size.Y)
	}
	return picture.FacingFrom(cloud, [3]float64{-c.up[0], -c.up[1], -c.up[2]}, size.X, size.Y)
}
