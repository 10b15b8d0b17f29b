package main

import (
	"context"
	"errors"
	"image"

	"portico/splat"
	"portico/worker/child"
)

// posterSize is the size of the pictures that a worker asks for, in pixels.
var posterSize = image.Pt(640, 400)

// childCommand is "portico child", which a worker starts so that a hostile capture
// can end no server.
type childCommand struct {
	Request string `arg:"" help:"What to do, in JSON (package worker/child)."`
}

// Run carries out the request.
func (c *childCommand) Run(ctx context.Context, call *call) error {
	err := child.Serve(ctx, c.Request, call.out, convertForWorker)
	if _, ok := errors.AsType[*splat.InputError](err); ok {
		return &exitError{code: child.ExitInput, err: errLogged}
	}
	return err
}

// convertForWorker is a child.Converter.
func convertForWorker(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (splat.Facts, error) {
	target, err := newTarget(out, posterSize)
	if err != nil {
		return splat.Facts{}, err
	}
	if err := target.mustBeFree(); err != nil {
		return splat.Facts{}, err
	}
	made, err := target.make(ctx, capture, o)
	return made.Facts, err
}
