package main

import (
	"context"
	"errors"
	"image"

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
func convertForWorker(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (splat.Facts, *splat.Start, error) {
	// The name of the result decides the format, as at a shell: a worker and a person get
	// the same result for the same name.
	target, err := newTarget(out, image.Pt(posterWidth, posterHeight))
	if err != nil {
		return splat.Facts{}, nil, err
	}
	if err := target.checkFree(); err != nil {
		return splat.Facts{}, nil, err
	}
	result, err := target.convert(ctx, capture, o)
	return result.Facts, result.Start, err
}
