package splat

import (
	"context"
	"fmt"
	"image"
	"io"
	"time"

	"portico/splat/input"
	"portico/splat/picture"
	"portico/splat/vp8l"
)

// TurntableOptions are the options of a turntable. Width and Height are the size of its
// frames in pixels.
type TurntableOptions struct {
	Width, Height int
	// Frames is the number of frames of one turn; 0 means DefaultFrames. Turn is the duration
	// of one turn; 0 means DefaultTurn.
	Frames int
	Turn   time.Duration
}

// The defaults and the maximum of turntables. A frame of the default size takes about
// 100 KB.
const (
	DefaultFrames = 36
	MaxFrames     = 360
	DefaultTurn   = 6 * time.Second
	// maxTurntablePixels limits the memory of the encoded frames.
	maxTurntablePixels = 128 << 20
)

// WriteTurntable writes an animated WebP that shows the Gaussians from all sides and repeats
// endlessly. The viewpoint of o, if there is one, determines which direction is up.
// WriteTurntable returns the facts of the picture. A file without Gaussians is an *InputError.
func (c *Capture) WriteTurntable(ctx context.Context, to io.Writer, t TurntableOptions, o ConvertOptions) (Facts, error) {
	if err := c.mustHaveGaussians(); err != nil {
		return Facts{}, err
	}
	if t.Frames == 0 {
		t.Frames = DefaultFrames
	}
	if t.Turn == 0 {
		t.Turn = DefaultTurn
	}
	if t.Frames < 2 || t.Frames > MaxFrames {
		return Facts{}, input.Errorf("", "A turntable has 2 to %d frames, not %d", MaxFrames, t.Frames)
	}
	// It divides, because the product of hostile numbers may overflow.
	if t.Width < 1 || t.Height < 1 || t.Width > maxTurntablePixels/t.Height/t.Frames {
		return Facts{}, input.Errorf("", "A turntable of %d frames of %d x %d pixels is too large", t.Frames, t.Width, t.Height).
			Advise("Choose fewer frames, or smaller ones")
	}
	cloud, err := picture.Select(ctx, c.source)
	if err != nil {
		return Facts{}, err
	}
	table := picture.Turntable{Width: t.Width, Height: t.Height, Frames: t.Frames}
	if camera := o.Viewpoint.camera(); camera != nil {
		table.Down = camera.Down
	}
	animation := vp8l.NewAnimation(t.Width, t.Height)
	err = table.Draw(ctx, cloud, func(number int, frame *image.RGBA) error {
		if o.Progress != nil {
			o.Progress(100*float64(number)/float64(t.Frames), fmt.Sprintf("Drawing the turntable: frame %d of %d", number+1, t.Frames))
		}
		return animation.Add(frame.Pix, t.Turn/time.Duration(t.Frames))
	})
	if err != nil {
		return Facts{}, err
	}
	_, err = animation.WriteTo(to)
	return Facts{Format: FormatWebP, Width: t.Width, Height: t.Height, Attribution: c.Facts.Attribution}, err
}
