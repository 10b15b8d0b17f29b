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
	In     string `arg:"" help:"The capture: .lcc .lcc2 .ply .spz .splat .ksplat .sog .zip, lod-meta.json, meta.json, or an image." type:"path"`
	Out    string `arg:"" help:"The result: a folder or its lod-meta.json for streamed SOG, FILE.sog for one bundle, FILE.jpg or FILE.png for a picture." type:"path"`
	Width  int    `help:"Width of a picture in pixels. An image is never enlarged." default:"${width}" placeholder:"PX"`
	Height int    `help:"Height of a picture in pixels." default:"${height}" placeholder:"PX"`
}

// conversion is the result of a conversion.
type conversion struct {
	// Primary is the name of the file to load, relative to OUT if OUT is a folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Warnings name the parts of the capture that were changed or left out.
	Warnings []string `json:"warnings,omitempty"`
}

// Run converts the capture. OUT has a temporary name until it is complete, so a killed
// conversion leaves no result that looks complete.
func (c *convertCommand) Run(ctx context.Context, in *invocation) error {
	p := c.newProgress(in)
	return p.finish(c.withLimits(ctx, func(ctx context.Context) error {
		target, err := newTarget(c.Out, image.Pt(c.Width, c.Height))
		if err != nil {
			return err
		}
		if err := target.checkFree(); err != nil {
			return err
		}
		capture, err := openCapture(ctx, c.In)
		if err != nil {
			return err
		}
		result, err := target.convert(ctx, capture.Capture, splat.ConvertOptions{Workers: in.config.Workers, Progress: p.report})
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return p.printResult(result, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: %d files, %d bytes\n", target.path, result.Files, result.Bytes)
			return err
		})
	}))
}

// openedCapture is a capture with the files that were opened, or unpacked, for it.
type openedCapture struct {
	*splat.Capture

	// closers are called by Close, the last one first.
	closers []func() error
}

// Close closes the capture and its files, and removes unpacked files.
func (c *openedCapture) Close() error {
	errs := []error{c.Capture.Close()}
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// openCapture opens the capture at the path. A zip is unpacked into a temporary folder
// first.
func openCapture(ctx context.Context, path string) (*openedCapture, error) {
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return openZip(ctx, path)
	}
	return openInFolder(ctx, filepath.Dir(path), filepath.Base(path))
}

// openInFolder opens a capture by its name in a folder. Its manifest can name files in the
// folder only: a hostile one must not read others.
func openInFolder(ctx context.Context, path, name string) (*openedCapture, error) {
	local, err := folder.OpenLocal(path)
	if err != nil {
		return nil, err
	}
	capture, err := splat.Open(ctx, local, name)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return &openedCapture{Capture: capture, closers: []func() error{local.Close}}, nil
}
