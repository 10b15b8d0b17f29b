package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/ply"
)

// readBack is how splat-transform reads what Portico wrote.
type readBack struct {
	// splats is how many it finds in the finest level.
	splats int
	// Largest differences from what our own reader finds: of positions in metres,
	// rotations in degrees, colours and opacities in parts of 255, logarithms of
	// sizes, and harmonics.
	position, rotation, colour, opacity, scale, harmonics float64
}

// readBack has splat-transform turn the finest level into a PLY, and compares that
// with what we read.
func (w *world) readBack(ctx context.Context, folder string) (b *readBack, err error) {
	path := folder + ".ply"
	defer func() { err = errors.Join(err, os.RemoveAll(path)) }()
	// The finest level alone: it would put all levels into one file.
	command := w.transform.command("-w", "-L", "0", filepath.Join(folder, streamName), path)
	if _, err := measure(ctx, command); err != nil {
		return nil, err
	}
	theirs, err := readPLY(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	ours, err := readStream(ctx, folder)
	if err != nil {
		return nil, err
	}
	return compareReadings(theirs, ours.cloud), nil
}

// readPLY reads all Gaussians of a PLY file.
func readPLY(ctx context.Context, path string) (cloud *gaussian.Cloud, err error) {
	files, err := folder.OpenLocal(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	file, err := files.Open(ctx, filepath.Base(path))
	if err != nil {
		return nil, err
	}
	opened, err := ply.Open(ctx, file, filepath.Base(path))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	source, ok := opened.Source()
	if !ok {
		return nil, errors.Join(errors.New("it has no Gaussians"), opened.Close())
	}
	return readLevel(ctx, source)
}

// compareReadings compares Gaussian by Gaussian: both readers go chunk by chunk. Of
// clouds that are not of one form only the number is told.
func compareReadings(theirs, ours *gaussian.Cloud) *readBack {
	b := &readBack{splats: theirs.Len()}
	if theirs.Len() != ours.Len() || theirs.Degree != ours.Degree {
		b.position = math.Inf(1)
		return b
	}
	b.position = farthest(theirs.Positions, ours.Positions)
	b.colour = 255 * gaussian.C0 * farthest(theirs.Colours, ours.Colours)
	b.opacity = 255 * farthest(theirs.Opacities, ours.Opacities)
	b.scale = farthest(theirs.Scales, ours.Scales)
	b.harmonics = farthest(theirs.Harmonics, ours.Harmonics)
	for i := 0; i < len(ours.Rotations); i += 4 {
		angle := angleBetween(theirs.Rotations[i:i+4], ours.Rotations[i:i+4])
		b.rotation = max(b.rotation, angle*180/math.Pi)
	}
	return b
}

// farthest returns the largest difference of two values at the same place.
func farthest(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i])-float64(b[i])))
	}
	return most
}
