package child

import (
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"path/filepath"
	"time"

	"portico/model"
	"portico/splat"
)

const (
	turntableName = "turntable.jpg"
	// The size of a frame in pixels: whole blocks of a JPEG, so that no frame shows in the next one.
	frameWidth  = 384
	frameHeight = 240
	// frameQuality is lower than that of posters, because a frame is seen for a moment.
	frameQuality = 75
	// turntableTime is the limit for drawing a turntable, which takes about a second. A capture that takes
	// longer has a poster alone.
	turntableTime = 2 * time.Minute
)

// writeTurntable writes the turntable beside the poster. It returns nil for an image, and for a capture
// that takes too long: a poster is worth more than its motion.
func (r *Request) writeTurntable(ctx context.Context, capture *splat.Capture, progress func(float64, string)) (*Picture, error) {
	if capture.Facts.Splats == 0 {
		return nil, nil //nolint:nilnil // an image does not turn
	}
	limited, cancel := context.WithTimeout(ctx, turntableTime)
	defer cancel()
	strip, err := capture.Turn(limited, splat.Turn{
		From: (*splat.Viewpoint)(r.Viewpoint), LookAround: r.LookAround,
		Size: image.Pt(frameWidth, frameHeight), Frames: model.TurntableFrames, Progress: progress,
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil //nolint:nilnil // it takes too long
	}
	if err != nil {
		return nil, err
	}
	made := &Picture{Name: turntableName, Width: frameWidth, Height: frameHeight}
	return made, writePicture(filepath.Join(filepath.Dir(r.Out), made.Name), func(w io.Writer) error {
		return jpeg.Encode(w, strip, &jpeg.Options{Quality: frameQuality})
	})
}
