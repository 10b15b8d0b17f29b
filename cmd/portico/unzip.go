package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"portico/splat"
)

// openZip unpacks what the archive's kind needs, by the rules that uploads are
// held to, and opens its manifest. The folder, in the system's for temporary files,
// goes when the capture is closed.
func openZip(ctx context.Context, path string) (*openedCapture, error) {
	folder, err := os.MkdirTemp("", "portico-zip-")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	primary, err := unzip(ctx, path, folder)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture, err := openIn(ctx, folder, primary)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	capture.closers = append([]func() error{remove}, capture.closers...)
	return capture, nil
}

// unzip returns the name of the manifest in the folder. An archive without a capture
// is a *splat.InputError: there is nothing to convert or to tell of.
func unzip(ctx context.Context, path, folder string) (primary string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	archive, err := splat.OpenArchive(f, info.Size(), splat.DefaultLimits())
	if err != nil {
		return "", err
	}
	plan, err := archive.Plan(ctx)
	if err != nil {
		return "", err
	}
	if plan.Kind == splat.KindWhole {
		return "", &splat.InputError{Message: "The archive holds no capture that is known"}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	err = archive.Extract(ctx, plan, &countingFolder{root: root}, nil)
	return plan.Primary, errors.Join(err, root.Close())
}

// countingFolder is a folder that nothing is written outside of, and that knows
// how much was written. It takes one file at a time, as both of its users write
// (splat.Sink, splat.Folder).
type countingFolder struct {
	root  *os.Root
	files int
	bytes int64
}

// Create implements splat.Folder: it makes a file, which must not be there yet, and
// the folders that it is in.
func (c *countingFolder) Create(name string) (io.WriteCloser, error) {
	if err := c.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	f, err := c.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	c.files++
	return &countingWriter{WriteCloser: f, bytes: &c.bytes}, nil
}

// Put implements splat.Sink.
func (c *countingFolder) Put(_ context.Context, name string, _ int64, r io.Reader) error {
	f, err := c.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
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
