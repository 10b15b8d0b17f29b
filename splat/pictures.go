package splat

import (
	"context"
	"errors"
	"image"
	"image/draw"
	"io"
	"io/fs"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/picture"
	"portico/splat/vp8l"
)

// Picture returns one picture of the whole subject. See Pictures.
func (c *Capture) Picture(ctx context.Context, size image.Point) (image.Image, error) {
	made, err := c.Pictures(ctx, nil, size)
	if err != nil {
		return nil, err
	}
	return made[0], nil
}

// Viewpoint is where a picture is taken from, in the coordinates of viewers: y is up, and the
// data of a PLY is rotated by half a turn about z.
type Viewpoint struct {
	Position, Target [3]float64
	// Up points to the top of the picture.
	Up [3]float64
}

// camera returns the camera of a viewpoint, in the axes of package gaussian, or nil for nil.
func (v *Viewpoint) camera() *picture.Camera {
	if v == nil {
		return nil
	}
	up := halfTurn(v.Up)
	return &picture.Camera{
		Eye: halfTurn(v.Position), Target: halfTurn(v.Target), Down: [3]float64{-up[0], -up[1], -up[2]}, FieldOfView: picture.FieldOfView,
	}
}

// halfTurn turns a point or a direction between the axes of package gaussian and of viewers, by half
// a turn about z, as View.inViewer does.
func halfTurn(p [3]float64) [3]float64 { return [3]float64{-p[0], -p[1], p[2]} }

// Pictures returns pictures of the given sizes: of the Gaussians, or of an image, which it
// scales to fit into the sizes. It draws Gaussians once, in the largest size, from the
// viewpoint. If that is nil, it shows the whole subject, or uses the picture that the exporter
// of an LCC capture added, if this is large enough for the first size. A file with neither
// Gaussians nor an image is an *InputError.
func (c *Capture) Pictures(ctx context.Context, from *Viewpoint, sizes ...image.Point) ([]image.Image, error) {
	largest := sizes[0]
	for _, size := range sizes {
		largest = image.Pt(max(largest.X, size.X), max(largest.Y, size.Y))
	}
	drawn, err := c.draw(ctx, from, largest, sizes[0])
	if err != nil {
		return nil, err
	}
	made := make([]image.Image, len(sizes))
	for i, size := range sizes {
		// Scaling down takes less time than drawing, and smooths what is smaller than a pixel.
		if made[i] = drawn; size != largest {
			if made[i], err = picture.Shrink(ctx, drawn, size.X, size.Y); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

// draw returns the picture of the largest size. An exporter's picture must be at least as
// large as enough, in one direction.
func (c *Capture) draw(ctx context.Context, from *Viewpoint, largest, enough image.Point) (image.Image, error) {
	switch {
	case c.fault != nil:
		return nil, c.fault
	case c.source == nil:
		return c.resizeImage(ctx, largest)
	case c.thumbnail != "" && from == nil:
		if made, err := c.resizeThumbnail(ctx, largest, enough); made != nil || err != nil {
			return made, err
		}
	}
	camera := from.camera()
	var cloud *gaussian.Cloud
	var err error
	if camera == nil {
		cloud, err = picture.Select(ctx, c.source)
	} else {
		cloud, err = picture.SelectInView(ctx, c.source, largest.X, largest.Y, *camera)
	}
	if err != nil {
		return nil, err
	}
	if camera == nil {
		facing := c.facing(cloud, largest)
		camera = &facing
	}
	return picture.Render(ctx, cloud, picture.Options{Width: largest.X, Height: largest.Y, Camera: camera})
}

// resizeImage scales an image to fit into the size.
func (c *Capture) resizeImage(ctx context.Context, size image.Point) (image.Image, error) {
	switch c.Facts.Format {
	case FormatJPEG, FormatPNG, FormatGIF, FormatWebP:
	default:
		return nil, input.Errorf(c.name, "holds neither Gaussians nor an image, so no picture can be made of it")
	}
	file, err := c.folder.Open(ctx, c.name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	return picture.Resize(ctx, file, size.X, size.Y)
}

// resizeThumbnail scales the exporter's picture of the capture, for which a person has chosen
// the view. It returns nil if the picture is smaller than enough or cannot be read, because a
// drawn picture is better then.
func (c *Capture) resizeThumbnail(ctx context.Context, size, enough image.Point) (image.Image, error) {
	file, err := c.folder.Open(ctx, c.thumbnail)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // most captures have none
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	_, width, height, err := picture.Inspect(file)
	if err == nil && (width >= enough.X || height >= enough.Y) {
		var made image.Image
		if made, err = picture.Resize(ctx, file, size.X, size.Y); err == nil {
			return made, nil
		}
	}
	if _, ok := errors.AsType[*InputError](err); ok {
		err = nil
	}
	return nil, err
}

// EncodeWebP writes a picture as lossless WebP.
func EncodeWebP(w io.Writer, drawn image.Image) error {
	pixels := image.NewNRGBA(image.Rect(0, 0, drawn.Bounds().Dx(), drawn.Bounds().Dy()))
	draw.Draw(pixels, pixels.Rect, drawn, drawn.Bounds().Min, draw.Src)
	return vp8l.Encode(w, pixels.Pix, pixels.Rect.Dx(), pixels.Rect.Dy())
}

// EncodeJPEG writes a picture as JPEG. Transparent pixels become black.
func EncodeJPEG(w io.Writer, drawn image.Image) error { return picture.EncodeJPEG(w, drawn) }
