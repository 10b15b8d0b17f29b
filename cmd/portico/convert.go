package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"

	"portico/splat"
)

// convertCommand is "portico convert". Kong fills the exported fields; AfterApply fills the others.
type convertCommand struct {
	spatialFlags
	editFlags
	collisionFlags
	In string `arg:"" help:"The capture; several are merged. A .lcc .lcc2 .ply .spz .splat .ksplat .sog .glb .gltf .html .zip, lod-meta.json, meta.json, or an image." type:"path"`
	// ExtraInput are the inputs after the first; see flagExtraInputs.
	ExtraInput      []string `hidden:"" sep:"none" type:"path"`
	Out             string   `arg:"" help:"The result: a folder or its lod-meta.json for streamed SOG; FILE.sog, .ply, .compressed.ply, .spz, .glb or .csv; FILE.jpg, FILE.png or FILE.webp for a picture; FILE.voxel.json or FILE.collision.glb for the collision." type:"path"`
	Width           int      `help:"Width of a picture in pixels. An image is never enlarged." default:"${width}" placeholder:"PX"`
	Height          int      `help:"Height of a picture in pixels." default:"${height}" placeholder:"PX"`
	Turntable       bool     `help:"Make FILE.webp an animation that shows the capture from all sides."`
	TurntableFrames int      `help:"Number of pictures of a turntable. A turn takes 6 seconds." default:"${frames}" placeholder:"N"`
	SPZVersion      int      `name:"spz-version" help:"Version of the written SPZ: 4, or 3 for older viewers." enum:"3,4" default:"4"`
	SPZAxes         string   `name:"spz-axes" help:"Axes of an SPZ file that does not name them. RDF for files of PlayCanvas' tools. Default: RUB." placeholder:"XYZ"`

	// inputs are the captures, each with its own edits; edits apply to the merged capture.
	inputs []inputFile
	edits  []splat.Edit
}

// conversion is what "portico convert --json" prints last.
type conversion struct {
	// Primary is the name of the file to load, relative to OUT if OUT is a folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Start is the spawn point of visitors; only a collision has one.
	Start *splat.Start `json:"start,omitempty"`
	// Warnings name the parts of the capture that were changed or left out.
	Warnings []string `json:"warnings,omitempty"`
}

// print prints the conversion to the path for people.
func (c *conversion) print(out io.Writer, path string) error {
	files := "files"
	if c.Files == 1 {
		files = "file"
	}
	_, err := fmt.Fprintf(out, "%s: %d %s, %d bytes\n", path, c.Files, files, c.Bytes)
	for _, warning := range c.Warnings {
		if err == nil {
			_, err = fmt.Fprintf(out, "warning: %s\n", warning)
		}
	}
	return err
}

// Run converts the capture. OUT has a temporary name until it is complete, so that a killed
// conversion leaves nothing that looks complete. The work runs in a child process of the same
// command line (see withMemoryLimit).
func (c *convertCommand) Run(ctx context.Context, in *invocation) error {
	p := newProgress(in, c.JSON)
	return p.finish(c.withMemoryLimit(ctx, in, c.stagingFolder(), func(ctx context.Context) error {
		// All arguments are checked before the capture is read, which may take minutes.
		target, err := newTarget(c.Out, image.Pt(c.Width, c.Height))
		if err != nil {
			return err
		}
		if target.frames, err = c.frames(target); err != nil {
			return err
		}
		if target.collision, err = c.options(len(c.FilterFloaters) > 0); err != nil {
			return err
		}
		if err := target.checkUnused(); err != nil {
			return err
		}
		capture, err := c.open(ctx, target.draws(), p.report)
		if err != nil {
			return err
		}
		result, err := target.convert(ctx, capture.Capture, splat.ConvertOptions{
			Workers: in.config.Workers, Progress: p.report, SPZVersion: c.SPZVersion,
		})
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return p.printResult(result, func(w io.Writer) error { return result.print(w, target.path) })
	}))
}

// frames returns the number of pictures of the turntable, or 0 without --turntable.
func (c *convertCommand) frames(t target) (int, error) {
	switch {
	case !c.Turntable:
		return 0, nil
	case t.extension != webp:
		return 0, fmt.Errorf("%s: a turntable is a .webp", t.path)
	}
	return c.TurntableFrames, nil
}

// open opens all inputs, applies their edits, and returns them as one merged capture. If draws is
// set, it also measures them, and so finds faults in parts that are not drawn. After an
// error nothing is open. Closing the result closes all inputs.
//
// The edits have the order of the command line. Edits after an input change this input alone. Edits
// after the last input change the whole, once all inputs are merged.
func (c *convertCommand) open(ctx context.Context, draws bool, report func(percent float64, message string)) (*openedCapture, error) {
	whole := &openedCapture{}
	var captures []*splat.Capture
	fail := func(err error) (*openedCapture, error) {
		for _, capture := range captures {
			err = errors.Join(err, capture.Close())
		}
		return nil, errors.Join(err, whole.closeFiles())
	}
	for _, file := range c.inputs {
		one, err := openCapture(ctx, file.path, splat.OpenOptions{SPZAxes: strings.ToUpper(c.SPZAxes)}, report)
		if err != nil {
			return fail(err)
		}
		captures, whole.closers = append(captures, one.Capture), append(whole.closers, one.closers...)
		// A picture needs only a part of the file, so it would hide what inspect calls damaged.
		if draws {
			if err := one.Measure(ctx); err != nil {
				return fail(err)
			}
		}
		// Before the merge, because each capture has its own edits, such as its position in
		// the merged capture.
		if err := one.Edit(ctx, file.edits); err != nil {
			return fail(err)
		}
	}
	merged, err := splat.Merge(captures...)
	if err != nil {
		return fail(err)
	}
	whole.Capture = merged
	if err := whole.Edit(ctx, c.edits); err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	return whole, nil
}

// stagingFolder returns the folder in which the result is staged, or "" if OUT is not valid.
// withMemoryLimit removes what a killed child has left there.
func (c *convertCommand) stagingFolder() string {
	target, err := newTarget(c.Out, image.Point{})
	if err != nil {
		return ""
	}
	return filepath.Dir(target.path)
}
