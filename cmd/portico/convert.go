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

// convertCommand is "portico convert", a conversion at a shell.
type convertCommand struct {
	limitFlags
	In     string `arg:"" help:"The capture: .lcc .lcc2 .ply .spz .splat .ksplat .sog .zip, lod-meta.json, meta.json, or an image." type:"path"`
	Out    string `arg:"" help:"What to make: a folder, for streamed SOG, or its lod-meta.json; FILE.sog; a picture, FILE.jpg or FILE.png." type:"path"`
	Width  int    `help:"Width of a picture in pixels, and at most that of an image." default:"640" placeholder:"PX"`
	Height int    `help:"Height of a picture in pixels." default:"400" placeholder:"PX"`
}

// converted is the result of a conversion.
type converted struct {
	// Primary is the name of the file to load, relative to OUT if OUT is a folder.
	Primary string      `json:"primary"`
	Files   int         `json:"files"`
	Bytes   int64       `json:"bytes"`
	Facts   splat.Facts `json:"facts"`
	// Warnings say which parts of the capture could not be kept as they were.
	Warnings []string `json:"warnings,omitempty"`
}

// Run converts. OUT appears when it is complete: until then it has another name.
func (c *convertCommand) Run(ctx context.Context, call *call) error {
	p := c.newProgress(call)
	return p.end(c.limited(ctx, func(ctx context.Context) error {
		target, err := newTarget(c.Out, image.Pt(c.Width, c.Height))
		if err != nil {
			return err
		}
		if err := target.mustBeFree(); err != nil {
			return err
		}
		capture, err := openCapture(ctx, c.In)
		if err != nil {
			return err
		}
		made, err := target.make(ctx, capture.Capture, splat.ConvertOptions{Workers: call.config.Workers, Progress: p.report})
		if err := errors.Join(err, capture.Close()); err != nil {
			return err
		}
		return p.result(made, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: %d files, %d bytes\n", target.path, made.Files, made.Bytes)
			return err
		})
	}))
}

// openedCapture is a capture with the files that were opened, or unpacked, for it.
type openedCapture struct {
	*splat.Capture

	// closers undo the opening; the last is called first.
	closers []func() error
}

// Close closes everything, and removes what was unpacked.
func (c *openedCapture) Close() error {
	errs := []error{c.Capture.Close()}
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// openCapture opens the file at the path, and a zip by unpacking what it holds
// into a temporary folder.
func openCapture(ctx context.Context, path string) (*openedCapture, error) {
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return openZip(ctx, path)
	}
	return openIn(ctx, filepath.Dir(path), filepath.Base(path))
}

// openIn opens a capture by its name in a folder. Its manifest may name other files
// of the folder, and none outside of it.
func openIn(ctx context.Context, path, name string) (*openedCapture, error) {
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
