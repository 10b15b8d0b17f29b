package sog

import (
	"context"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// WriteDivided is WriteStreamed with smaller chunks and leaves, so that a small capture
// has several.
func WriteDivided(ctx context.Context, source gaussian.Source, to folder.Writer, o Options, unit, sparse int) (Result, error) {
	w := newFolderWriter(source, to, o)
	w.rules.chunkGaussians, w.rules.chunkMinGaussians = unit, sparse
	err := w.stream(ctx)
	return w.result, err
}
