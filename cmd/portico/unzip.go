package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"portico/splat"
	"portico/splat/archive"
	"portico/splat/folder"
)

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
