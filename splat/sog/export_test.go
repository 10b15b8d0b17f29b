package sog

import (
	"context"

	"portico/splat/gaussian"
)

// WriteDivided is WriteStreamed with other sizes of chunks and leaves, so that a
// small capture has several.
func WriteDivided(ctx context.Context, source gaussian.Source, sink Sink, o Options, unit, sparse int) (Result, error) {
	w := newWriter(source, sink, o)
	w.rules.unit, w.rules.sparse = unit, sparse
	err := w.stream(ctx)
	return w.result, err
}
