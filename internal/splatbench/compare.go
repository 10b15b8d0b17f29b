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

// comparison is all that is known of how a capture is converted.
type comparison struct {
	dataset
	inputBytes int64
	theirs     *outcome // nil where splat-transform was not run
	ours       *outcome
	back       *readBack // nil where splat-transform is not there
}

// outcome is what a contender made of a capture.
type outcome struct {
	cost
	bytes  int64
	levels []int
	difference
	// picture is how near a picture of it comes to one of the capture, as a
	// peak signal-to-noise ratio in dB.
	picture float64
}

// compare converts a capture with all contenders, in turns, and compares what they
// made with it.
func (w *world) compare(ctx context.Context, d dataset) (comparison, error) {
	c := comparison{dataset: d}
	manifest, size, err := d.generate(ctx, w.folder)
	if err != nil {
		return c, err
	}
	c.inputBytes = size
	costs := map[string][]cost{}
	for range w.rounds {
		for _, contender := range w.contenders {
			if contender.name == nameTransform && d.alone {
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
		o := &outcome{cost: middle(costs)}
		if err := o.look(ctx, w.output(d, name), original); err != nil {
			return c, fmt.Errorf("read what %s made: %w", name, err)
		}
		if name == namePortico {
			c.ours = o
		} else {
			c.theirs = o
		}
	}
	// It reads ours even where converting would take it hours.
	if w.transform != nil {
		c.back, err = w.readBack(ctx, w.output(d, namePortico))
	}
	return c, err
}

// output returns the folder that a contender converts into.
func (w *world) output(d dataset, name string) string {
	return filepath.Join(w.folder, d.name+"-"+name)
}

// convert runs the contender once, into a folder that is empty again.
func (c contender) convert(ctx context.Context, d dataset, manifest, out string) (cost, error) {
	if err := os.RemoveAll(out); err != nil {
		return cost{}, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return cost{}, err
	}
	return measure(ctx, c.command(d, manifest, out))
}

// original is the finest level of a capture, and a picture of it.
type original struct {
	cloud   *gaussian.Cloud
	camera  picture.Camera
	picture *image.RGBA
}

// readCapture reads the truth.
func readCapture(ctx context.Context, manifest string) (o original, err error) {
	folder, err := folder.OpenLocal(filepath.Dir(manifest))
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	capture, err := lcc.Open(ctx, folder, filepath.Base(manifest))
	if err != nil {
		return o, err
	}
	if o.cloud, err = readLevel(ctx, capture); err != nil {
		return o, err
	}
	// All pictures are taken from where the capture is in full view.
	o.camera = picture.Facing(o.cloud, picture.DefaultWidth, picture.DefaultHeight)
	o.picture, err = picture.Render(ctx, o.cloud, picture.Options{Camera: &o.camera})
	return o, err
}

// look compares a streamed SOG with the capture that it was made of.
func (o *outcome) look(ctx context.Context, folder string, of original) (err error) {
	if o.bytes, err = folderSize(folder); err != nil {
		return err
	}
	made, err := readStream(ctx, folder)
	if err != nil {
		return err
	}
	o.levels = made.levels
	o.difference = compareClouds(of.cloud, made)
	drawn, err := picture.Render(ctx, made.cloud, picture.Options{Camera: &of.camera})
	if err != nil {
		return err
	}
	o.picture = signalToNoise(of.picture, drawn)
	return nil
}
