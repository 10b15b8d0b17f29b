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

// readBack compares how splat-transform and Portico read Portico's output.
type readBack struct {
	// splats is the number that splat-transform finds in the finest level.
	splats int
	// Maximum differences from Portico's reader: positions in metres, rotations in
	// degrees, colours and opacities in units of 1/255, logarithms of scales, and
	// harmonics.
	position, rotation, colour, opacity, scale, harmonics float64
}

// readBack converts the finest level to PLY by splat-transform, and compares the PLY with
// Portico's reading.
func (w *benchmark) readBack(ctx context.Context, d dataset, folder string) (b *readBack, err error) {
	path := folder + ".ply"
	defer func() { err = errors.Join(err, os.RemoveAll(path)) }()
	args := []string{"-w", d.result(folder), path}
	if !d.single {
		// -L 0 selects the finest level; otherwise all levels end up in one file.
		args = append([]string{"-L", "0"}, args...)
	}
	command := w.transform.command(args...)
	if _, err := measure(ctx, command); err != nil {
		return nil, err
	}
	theirs, err := readPLY(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	ours, err := readResult(ctx, folder)
	if err != nil {
		return nil, err
	}
	return compareReadings(theirs, ours.cloud), nil
}

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

// compareReadings compares the Gaussians in order, because both readers go chunk by chunk.
// If the numbers or the degrees differ, position is infinite and nothing else is set.
func compareReadings(theirs, ours *gaussian.Cloud) *readBack {
	b := &readBack{splats: theirs.Len()}
	if theirs.Len() != ours.Len() || theirs.Degree != ours.Degree {
		b.position = math.Inf(1)
		return b
	}
	b.position = maxDifference(theirs.Positions, ours.Positions)
	b.colour = 255 * gaussian.C0 * maxDifference(theirs.Colours, ours.Colours)
	b.opacity = 255 * maxDifference(theirs.Opacities, ours.Opacities)
	b.scale = maxDifference(theirs.Scales, ours.Scales)
	b.harmonics = maxDifference(theirs.Harmonics, ours.Harmonics)
	for i := 0; i < len(ours.Rotations); i += 4 {
		angle := angleBetween(theirs.Rotations[i:i+4], ours.Rotations[i:i+4])
		b.rotation = max(b.rotation, angle*180/math.Pi)
	}
	return b
}

// maxDifference returns the maximum difference of corresponding values.
func maxDifference(a, b []float32) float64 {
	maximum := 0.0
	for i := range a {
		maximum = max(maximum, math.Abs(float64(a[i])-float64(b[i])))
	}
	return maximum
}
