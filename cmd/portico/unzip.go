package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"portico/splat"
	"portico/splat/archive"
	"portico/splat/folder"
)

// openZip unpacks the archive into a temporary folder, by the rules for uploads, and opens
// its manifest. Closing the capture removes the folder.
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
	// Called last: files of the folder are still open until the capture is closed.
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
	// The limits of uploads: an archive from a stranger is as hostile at a shell.
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
		// The percentages are the conversion's.
		report(0, fmt.Sprintf("Extracting zip: %d of %d files", s.FilesDone, s.Files))
	})
	return plan.Primary, errors.Join(err, to.Close())
}

// countingFolder counts the files that are written, and their bytes.
type countingFolder struct {
	folder.Writer
	files int
	bytes int64
}

// Put implements folder.Writer.
func (c *countingFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	c.files++
	c.bytes += size
	return c.Writer.Put(ctx, name, size, r)
}

// countingWriter adds up the bytes that are written.
type countingWriter struct {
	io.WriteCloser
	bytes *int64
}

// Write writes and counts.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.WriteCloser.Write(p)
	*c.bytes += int64(n)
	return n, err
}
