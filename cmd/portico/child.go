package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"

	"portico/splat"
	"portico/worker/child"
)

// The size of posters in pixels, which convert uses for its pictures too.
const (
	posterWidth  = 640
	posterHeight = 400
)

// childCommand is "portico child". A worker starts it for each capture, so that a hostile
// capture can crash this process only.
type childCommand struct {
	Request string `arg:"" help:"The request in JSON (package worker/child)."`
}

// Run carries out the request. It exits with a code of its own when the capture is damaged, so
// that the worker does not retry.
func (c *childCommand) Run(ctx context.Context, in *invocation) error {
	err := child.Serve(ctx, c.Request, in.out, convertForWorker)
	if _, ok := errors.AsType[*splat.InputError](err); ok {
		return &exitError{code: child.ExitInput, err: errLogged}
	}
	return err
}

// convertForWorker converts the capture of a job. It implements child.Converter. The folder of out
// is the only folder to which the sandbox lets this process write.
func convertForWorker(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (child.Converted, error) {
	if filepath.Ext(out) == ".jpg" {
		return writePosters(ctx, capture, out, o)
	}
	// As on the command line, the extension of the result selects its format.
	target, err := newTarget(out, image.Pt(posterWidth, posterHeight))
	if err != nil {
		return child.Converted{}, err
	}
	if target.extension == webp {
		target.frames = splat.DefaultFrames // workers make no other WebP
	}
	if err := target.checkUnused(); err != nil {
		return child.Converted{}, err
	}
	result, err := target.convert(ctx, capture, o)
	return child.Converted{Facts: result.Facts, Start: result.Start}, err
}

// writePosters writes a poster of the default size to out, and the other sizes to the same
// folder: poster-320.jpg next to poster.jpg. It skips a size that the image is too small for.
func writePosters(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (child.Converted, error) {
	sizes := []image.Point{{X: posterWidth, Y: posterHeight}, {X: posterWidth / 2, Y: posterHeight / 2}, {X: posterWidth * 2, Y: posterHeight * 2}}
	drawn, err := capture.Pictures(ctx, o.Viewpoint, sizes...)
	if err != nil {
		return child.Converted{}, err
	}
	made := child.Converted{Facts: splat.Facts{
		Format: splat.FormatJPEG, Width: drawn[0].Bounds().Dx(), Height: drawn[0].Bounds().Dy(), Attribution: capture.Facts.Attribution,
	}}
	for i, picture := range drawn {
		name, size := filepath.Base(out), picture.Bounds().Size()
		if i > 0 {
			name = fmt.Sprintf("%s-%d.jpg", strings.TrimSuffix(name, ".jpg"), sizes[i].X)
			if size == drawn[0].Bounds().Size() {
				continue
			}
		}
		_, err := writeFile(filepath.Join(filepath.Dir(out), name), func(w io.Writer) error { return splat.EncodeJPEG(w, picture) })
		if err != nil {
			return child.Converted{}, err
		}
		made.Pictures = append(made.Pictures, child.Picture{Name: name, Width: size.X, Height: size.Y})
	}
	return made, nil
}
