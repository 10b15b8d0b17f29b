package spatial

import (
	"context"
	"errors"
	"image"

	"portico/cmd/portico/command"
	"portico/server"
	"portico/splat"
)

// ChildCommand is "portico child". A worker starts it for each capture, so that a hostile
// capture can crash this process only.
type ChildCommand struct {
	Request string `arg:"" help:"The request in JSON (package worker/child)."`
}

// Run carries out the request. It exits with a code of its own when the capture is damaged, so
// that the worker does not retry.
func (c *ChildCommand) Run(ctx context.Context, in *command.Invocation) error {
	err := server.ServeChild(ctx, c.Request, in.Out, convertForWorker)
	if _, ok := errors.AsType[*splat.InputError](err); ok {
		return &command.ExitError{Code: server.ChildExitInput, Err: command.ErrLogged}
	}
	return err
}

// convertForWorker converts the capture of a job, for server.ServeChild. The folder of out is the
// only folder to which the sandbox lets this process write.
func convertForWorker(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (splat.Facts, *splat.Start, error) {
	// As on the command line, the extension of the result selects its format.
	target, err := newTarget(out, image.Pt(pictureWidth, pictureHeight))
	if err != nil {
		return splat.Facts{}, nil, err
	}
	if target.extension == webp {
		target.frames = splat.DefaultFrames // workers make no other WebP
	}
	if err := target.checkUnused(); err != nil {
		return splat.Facts{}, nil, err
	}
	result, err := target.convert(ctx, capture, o)
	return result.Facts, result.Start, err
}
