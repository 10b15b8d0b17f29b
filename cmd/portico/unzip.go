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
	primary, err := unzip(ctx, path, dir, report)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture, err := openInFolder(ctx, dir, primary, o)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	// The first closer is called last, after the files of the folder are closed.
	capture.closers = append([]func() error{remove}, capture.closers...)
	return capture, nil
}

// unzip unpacks the capture of an archive into a folder, and returns the name of its
// manifest. For an archive without a capture it returns a *splat.InputError.
func unzip(ctx context.Context, path, into string, report func(percent float64, message string)) (primary string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	// With the limits of uploads, because a downloaded archive may be hostile too.
	zip, err := archive.Open(f, info.Size(), archive.DefaultLimits())
	if err != nil {
		return "", err
	}
	plan, err := zip.Plan(ctx)
	if err != nil {
		return "", err
	}
	if plan.Kind == archive.KindWhole {
		return "", &splat.InputError{Message: "The archive has no capture in a known format"}
	}
	to, err := folder.OpenLocal(into)
	if err != nil {
		return "", err
	}
	err = zip.Extract(ctx, plan, to, func(s archive.Step) {
		// The percentage counts the conversion alone, which has not started.
		report(0, fmt.Sprintf("Extracting zip: %d of %d files", s.FilesDone, s.Files))
	})
	return plan.Primary, errors.Join(err, to.Close())
}
