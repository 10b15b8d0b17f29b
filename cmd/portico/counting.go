package main

import (
	"context"
	"io"

	"portico/splat/folder"
)

// countingFolder counts the files that are written, and their bytes. Put is called from one
// goroutine at a time, so the counts need no lock.
type countingFolder struct {
	folder.Writer
	// The size of a file is the size that the caller of Put declared, which Put enforces.
	files int
	bytes int64
}

// Put implements folder.Writer.
func (c *countingFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	c.files++
	c.bytes += size
	return c.Writer.Put(ctx, name, size, r)
}

// countingWriter counts the bytes that are written.
type countingWriter struct {
	io.WriteCloser
	bytes *int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.WriteCloser.Write(p)
	*c.bytes += int64(n)
	return n, err
}
