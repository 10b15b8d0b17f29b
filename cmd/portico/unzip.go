package main

import (
	"context"
	"errors"
	"io"
	"os"

	"portico/splat"
	"portico/splat/archive"
	"portico/splat/folder"
)

// openZip unpacks what the archive's kind needs, by the rules that uploads are
// held to, and opens its manifest. The folder, in the system's for temporary files,
// goes when the capture is closed.
func openZip(ctx context.Context, path string) (*openedCapture, error) {
	at, err := os.MkdirTemp("", "portico-zip-")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(at) }
	primary, err := unzip(ctx, path, at)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture, err := openIn(ctx, at, primary)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture.closers = append([]func() error{remove}, capture.closers...)
	return capture, nil
}

// unzip returns the name of the manifest in the folder. An archive without a capture
// is a *splat.InputError: there is nothing to convert or to tell of.
func unzip(ctx context.Context, path, into string) (primary string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	zip, err := archive.Open(f, info.Size(), archive.DefaultLimits())
	if err != nil {
		return "", err
	}
	plan, err := zip.Plan(ctx)
	if err != nil {
		return "", err
	}
	if plan.Kind == archive.KindWhole {
		return "", &splat.InputError{Message: "The archive holds no capture that is known"}
	}
	to, err := folder.OpenLocal(into)
	if err != nil {
		return "", err
	}
	err = zip.Extract(ctx, plan, to, nil)
	return plan.Primary, errors.Join(err, to.Close())
}

// countingFolder counts the files that it passes on, and their bytes.
type countingFolder struct {
	to    folder.Writer
	files int
	bytes int64
}

// Put implements folder.Writer.
func (c *countingFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	c.files++
	c.bytes += size
	return c.to.Put(ctx, name, size, r)
}

// countingWriter adds up what is written.
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
