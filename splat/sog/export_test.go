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

// WriteMerged is WriteStreamed with smaller chunks and leaves, and with coarser levels for
// captures of more than maxCoarsest Gaussians, until one has at most coarsest.
func WriteMerged(ctx context.Context, source gaussian.Source, to folder.Writer, o Options, maxCoarsest, coarsest int) (Result, error) {
	w := newFolderWriter(source, to, o)
	w.rules = rules{chunkGaussians: 1000, chunkExtent: 16, chunkMinGaussians: 100, maxCoarsest: maxCoarsest, coarsest: coarsest}
	err := w.stream(ctx)
	return w.result, err
}
