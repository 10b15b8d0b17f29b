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
// one can end this process and no more.
type childCommand struct {
	Request string `arg:"" help:"The request in JSON (package worker/child)."`
}

// Run carries out the request. A fault of the capture has its own exit code, by which the
// worker knows that another try would fail too.
func (c *childCommand) Run(ctx context.Context, in *invocation) error {
	err := child.Serve(ctx, c.Request, in.out, convertForWorker)
	if _, ok := errors.AsType[*splat.InputError](err); ok {
		return &exitError{code: child.ExitInput, err: errLogged}
	}
	return err
}

// convertForWorker is a child.Converter.
func convertForWorker(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (child.Converted, error) {
	if filepath.Ext(out) == ".jpg" {
		return writePosters(ctx, capture, out, o)
	}
	// The name of the result decides the format, as at a shell: a worker and a person get
	// the same result for the same name.
	target, err := newTarget(out, image.Pt(posterWidth, posterHeight))
	if err != nil {
		return child.Converted{}, err
	}
	if target.extension == webp {
		target.frames = splat.DefaultFrames // workers make no other WebP
	}
	if err := target.checkFree(); err != nil {
		return child.Converted{}, err
	}
	result, err := target.convert(ctx, capture, o)
	return child.Converted{Facts: result.Facts, Start: result.Start}, err
}

// writePosters writes a poster as out, in the size of posters, and in other sizes beside it:
// poster-320.jpg beside poster.jpg. A small image has no larger sizes.
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
