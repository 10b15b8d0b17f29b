package server

import (
	"context"
	"io"

	"portico/splat"
	"portico/worker/child"
)

// ChildExitInput is the exit status of a process for which ServeChild returns a *splat.InputError.
const ChildExitInput = child.ExitInput

// ServeChild carries out a request of a worker, which has started this program again for a capture
// (see package worker/child). It first gives up the rights that a capture does not need, so this
// process cannot do anything else afterwards. It writes the lines of the protocol to out.
//
// convert converts a capture to the file out, and returns the facts of the result, and the start of
// visitors for a collision. It may write only to the folder of out.
func ServeChild(
	ctx context.Context, request string, out io.Writer,
	convert func(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (splat.Facts, *splat.Start, error),
) error {
	return child.Serve(ctx, request, out, convert)
}
