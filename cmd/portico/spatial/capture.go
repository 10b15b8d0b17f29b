package spatial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"portico/splat"
	"portico/splat/archive"
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

// openZip unpacks the archive into a temporary folder, with the limits of uploads, and opens its
// manifest. Closing the capture removes the folder.
//
// A killed process leaves the folder in the system's folder for temporary files.
func openZip(ctx context.Context, path string, o splat.OpenOptions, report func(percent float64, message string)) (*openedCapture, error) {
	dir, err := os.MkdirTemp("", "portico-zip-")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	plan, err := unzip(ctx, path, dir, report)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture, err := openInFolder(ctx, dir, plan.Primary, o)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	if note := plan.Note(); note != "" {
		capture.Warnings = append(capture.Warnings, note)
	}
	// The first closer is called last, after the files of the folder are closed.
	capture.closers = append([]func() error{remove}, capture.closers...)
	return capture, nil
}

// unzip unpacks the capture of an archive into a folder, and returns the plan of it. For an archive without a capture it returns a *splat.InputError.
func unzip(ctx context.Context, path, into string, report func(percent float64, message string)) (plan archive.Plan, err error) {
	f, err := os.Open(path)
	if err != nil {
		return plan, err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return plan, err
	}
	// With the limits of uploads, because a downloaded archive may be hostile too.
	zip, err := archive.Open(f, info.Size(), archive.DefaultLimits())
	if err != nil {
		return plan, err
	}
	plan, err = zip.Plan(ctx)
	if err != nil {
		return plan, err
	}
	switch {
	case plan.Kind == archive.KindWhole && len(plan.Others) > 0:
		return plan, &splat.InputError{Message: plan.Note(), Advice: "Extract them and choose one of them"}
	case plan.Kind == archive.KindWhole:
		return plan, &splat.InputError{Message: "The archive has no capture in a known format"}
	}
	to, err := folder.OpenLocal(into)
	if err != nil {
		return plan, err
	}
	err = zip.Extract(ctx, plan, to, func(s archive.Step) {
		// The percentage counts the conversion alone, which has not started.
		report(0, fmt.Sprintf("Extracting zip: %d of %d files", s.FilesDone, s.Files))
	})
	return plan, errors.Join(err, to.Close())
}
