package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/lcc"
	"portico/splat/picture"
)

// comparison holds the results of all contenders for a capture.
type comparison struct {
	dataset
	inputBytes int64
	reference  *outcome // nil if splat-transform did not run
	portico    *outcome
	back       *readBack // nil if splat-transform is not available
}

// outcome is the result of a contender for a capture.
type outcome struct {
	cost
	bytes  int64
	levels []int
	difference
	// picture is the peak signal-to-noise ratio in dB between pictures of the capture
	// and of the result.
	picture float64
}

// compare converts a capture with all contenders in turn, and compares the results with the
// capture. The contenders convert in turn, so that a change of the machine's speed affects all of
// them.
func (w *benchmark) compare(ctx context.Context, d dataset) (comparison, error) {
	c := comparison{dataset: d}
	manifest, size, err := d.generate(ctx, w.folder)
	if err != nil {
		return c, err
	}
	c.inputBytes = size
	costs := map[string][]cost{}
	for range w.rounds {
		for _, contender := range w.contenders {
			if contender.name == nameTransform && d.porticoOnly {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s: %s converts\n", d.name, contender.name)
			cost, err := contender.convert(ctx, d, manifest, w.output(d, contender.name))
			if err != nil {
				return c, err
			}
			costs[contender.name] = append(costs[contender.name], cost)
		}
	}
	original, err := readCapture(ctx, manifest)
	if err != nil {
		return c, err
	}
	for name, costs := range costs {
		o := &outcome{cost: median(costs)}
		if err := o.compareWith(ctx, w.output(d, name), original); err != nil {
			return c, fmt.Errorf("read the result of %s: %w", name, err)
		}
		if name == namePortico {
			c.portico = o
		} else {
			c.reference = o
		}
	}
	// Reading is fast even for captures that splat-transform does not convert.
	if w.transform != nil {
		c.back, err = w.readBack(ctx, d, w.output(d, namePortico))
	}
	return c, err
}

// output returns the folder that a contender converts into.
func (w *benchmark) output(d dataset, name string) string {
	return filepath.Join(w.folder, d.name+"-"+name)
}

// convert runs the contender once, with an empty output folder.
func (c contender) convert(ctx context.Context, d dataset, manifest, out string) (cost, error) {
	if err := os.RemoveAll(out); err != nil {
		return cost{}, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return cost{}, err
	}
	return measure(ctx, c.command(d, manifest, out))
}

// original is the finest level of a capture with a picture of it.
type original struct {
	cloud   *gaussian.Cloud
	camera  picture.Camera
	picture *image.RGBA
}

func readCapture(ctx context.Context, manifest string) (o original, err error) {
	if filepath.Base(manifest) == plyName {
		o.cloud, err = readPLY(ctx, manifest)
	} else {
		o.cloud, err = readLCC(ctx, manifest)
	}
	if err != nil {
		return o, err
	}
	// All pictures have the same camera, which shows the whole capture.
	o.camera = picture.Facing(o.cloud, picture.DefaultWidth, picture.DefaultHeight)
	o.picture, err = picture.Render(ctx, o.cloud, picture.Options{Camera: &o.camera})
	return o, err
}

// readLCC reads the finest level of an LCC capture.
func readLCC(ctx context.Context, manifest string) (*gaussian.Cloud, error) {
	return openLCC(ctx, manifest, readLevel)
}

// openLCC opens an LCC capture and returns the result of read, which closes the capture.
func openLCC[T any](ctx context.Context, manifest string, read func(context.Context, gaussian.Source) (T, error)) (result T, err error) {
	files, err := folder.OpenLocal(filepath.Dir(manifest))
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	capture, err := lcc.Open(ctx, files, filepath.Base(manifest))
	if err != nil {
		return result, err
	}
	return read(ctx, capture)
}

// compareWith sets the size and the differences between a result and its original.
func (o *outcome) compareWith(ctx context.Context, folder string, capture original) (err error) {
	if o.bytes, err = folderSize(folder); err != nil {
		return err
	}
	made, err := readResult(ctx, folder)
	if err != nil {
		return err
	}
	o.levels = made.levels
	o.difference = compareClouds(capture.cloud, made)
	drawn, err := picture.Render(ctx, made.cloud, picture.Options{Camera: &capture.camera})
	if err != nil {
		return err
	}
	o.picture = signalToNoise(capture.picture, drawn)
	return nil
}
