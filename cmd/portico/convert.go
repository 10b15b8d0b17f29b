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
	"portico/splat/folder"
)

// convertCommand is "portico convert".
type convertCommand struct {
	spatialFlags
	editFlags
	collisionFlags
	In              string   `arg:"" help:"The capture; several are merged. A .lcc .lcc2 .ply .spz .splat .ksplat .sog .glb .gltf .html .zip, lod-meta.json, meta.json, or an image." type:"path"`
	Also            []string `hidden:"" sep:"none" type:"path"`
	Out             string   `arg:"" help:"The result: a folder or its lod-meta.json for streamed SOG; FILE.sog, .ply, .compressed.ply, .spz, .glb or .csv; FILE.jpg, FILE.png or FILE.webp for a picture; FILE.voxel.json or FILE.collision.glb for the collision." type:"path"`
	Width           int      `help:"Width of a picture in pixels. An image is never enlarged." default:"${width}" placeholder:"PX"`
	Height          int      `help:"Height of a picture in pixels." default:"${height}" placeholder:"PX"`
	Turntable       bool     `help:"Make FILE.webp an animation that shows the capture from all sides."`
	TurntableFrames int      `help:"Number of pictures of a turntable. A turn takes 6 seconds." default:"${frames}" placeholder:"N"`
	SPZVersion      int      `name:"spz-version" help:"Version of the written SPZ: 4, or 3 for older viewers." enum:"3,4" default:"4"`
	SPZAxes         string   `name:"spz-axes" help:"Axes of an SPZ file that does not name them. RDF if PlayCanvas' tools wrote it; RUB when omitted." placeholder:"XYZ"`

	// inputs are the captures, and edits the changes of all of them together.
	inputs []changedFile
	edits  []splat.Edit
}

// conversion is the result of a conversion.
type conversion struct {
	// Primary is the name of the file to load, relative to OUT if OUT is a folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Start is where a visitor begins, in the result of a collision.
	Start *splat.Start `json:"start,omitempty"`
	// Warnings name the parts of the capture that were changed or left out.
	Warnings []string `json:"warnings,omitempty"`
}

// Run converts the capture. OUT has a temporary name until it is complete, so a killed
// conversion leaves no result that looks complete.
func (c *convertCommand) Run(ctx context.Context, in *invocation) error {
	p := c.newProgress(in)
	return p.finish(c.withLimits(ctx, in, c.stagingFolder(), func(ctx context.Context) error {
		// Everything that the command line can get wrong is checked before the capture is
		// read, which may take minutes.
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
		if err := target.checkFree(); err != nil {
			return err
		}
		capture, err := c.open(ctx, p.report)
		if err != nil {
			return err
		}
		result, err := target.convert(ctx, capture.Capture, splat.ConvertOptions{
			Workers: in.config.Workers, Progress: p.report, SPZVersion: c.SPZVersion,
		})
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return p.printResult(result, func(w io.Writer) error {
			files := "files"
			if result.Files == 1 {
				files = "file"
			}
			_, err := fmt.Fprintf(w, "%s: %d %s, %d bytes\n", target.path, result.Files, files, result.Bytes)
			return err
		})
	}))
}

// frames returns the number of pictures in the turntable; 0 without --turntable.
func (c *convertCommand) frames(t target) (int, error) {
	switch {
	case !c.Turntable:
		return 0, nil
	case t.extension != webp:
		return 0, fmt.Errorf("%s: a turntable is a .webp", t.path)
	}
	return c.TurntableFrames, nil
}

// open opens all inputs and returns them as one capture, changed as the command line says.
func (c *convertCommand) open(ctx context.Context, report func(percent float64, message string)) (*openedCapture, error) {
	whole := &openedCapture{}
	var captures []*splat.Capture
	fail := func(err error) (*openedCapture, error) {
		for _, one := range captures {
			err = errors.Join(err, one.Close())
		}
		return nil, errors.Join(err, whole.closeFiles())
	}
	for _, file := range c.inputs {
		one, err := openCapture(ctx, file.path, splat.OpenOptions{SPZAxes: strings.ToUpper(c.SPZAxes)}, report)
		if err != nil {
			return fail(err)
		}
		captures, whole.closers = append(captures, one.Capture), append(whole.closers, one.closers...)
		// Before the merge: each capture has changes of its own, such as its place in the
		// whole.
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

// stagingFolder returns the folder in which the result is staged; "" if OUT is no target.
func (c *convertCommand) stagingFolder() string {
	target, err := newTarget(c.Out, image.Point{})
	if err != nil {
		return ""
	}
	return filepath.Dir(target.path)
}

// openedCapture is a capture with the files that were opened, or unpacked, for it.
type openedCapture struct {
	*splat.Capture

	// closers are called by Close, the last one first.
	closers []func() error
}

// Close closes the capture and its files, and removes unpacked files.
func (c *openedCapture) Close() error {
	return errors.Join(c.Capture.Close(), c.closeFiles())
}

// closeFiles closes everything but the capture.
func (c *openedCapture) closeFiles() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// openCapture opens the capture at the path. A zip is unpacked into a temporary folder
// first.
func openCapture(ctx context.Context, path string, o splat.OpenOptions, report func(percent float64, message string)) (*openedCapture, error) {
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return openZip(ctx, path, o, report)
	}
	return openInFolder(ctx, filepath.Dir(path), filepath.Base(path), o)
}

// openInFolder opens a capture by its name in a folder. Its manifest can name files in the
// folder only: a hostile one must not read others.
func openInFolder(ctx context.Context, path, name string, o splat.OpenOptions) (*openedCapture, error) {
	local, err := folder.OpenLocal(path)
	if err != nil {
		return nil, err
	}
	capture, err := o.Open(ctx, local, name)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return &openedCapture{Capture: capture, closers: []func() error{local.Close}}, nil
}
