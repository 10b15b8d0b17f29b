package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"portico/splat"
	"portico/splat/folder"
)

// openedCapture is a capture with the files that were opened, or unpacked, for it.
type openedCapture struct {
	*splat.Capture

	// closers close the files and remove unpacked files. Close calls them in reverse order, after
	// it has closed the capture.
	closers []func() error
}

// Close closes the capture and its files, and removes unpacked files.
func (c *openedCapture) Close() error {
	return errors.Join(c.Capture.Close(), c.closeFiles())
}

// closeFiles closes the files, and removes unpacked files.
func (c *openedCapture) closeFiles() error {
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// openCapture opens the capture at the path. A zip is unpacked into a temporary folder first. For
// any other file, the other files in the same folder can be part of the capture. The caller closes
// the result.
func openCapture(ctx context.Context, path string, o splat.OpenOptions, report func(percent float64, message string)) (*openedCapture, error) {
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		return openZip(ctx, path, o, report)
	}
	return openInFolder(ctx, filepath.Dir(path), filepath.Base(path), o)
}

// openInFolder opens the capture with this name in a folder. The manifest of the capture can
// only name files in the folder, so that a hostile manifest cannot read other files.
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
