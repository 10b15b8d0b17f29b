package sog

import (
	"archive/zip"
	"context"
	"hash/crc32"
	"io"
)

// bundleWriter writes a .sog: a zip of stored entries whose sizes precede their data, so that
// simple readers find their way without the central directory. The files are in the order of
// imageNames, and then the meta.json.
type bundleWriter struct {
	zip   *zip.Writer
	bytes int64 // written to the output so far
}

// newBundleWriter returns a bundle without files. close completes it and leaves out
// open.
func newBundleWriter(out io.Writer) *bundleWriter {
	b := &bundleWriter{}
	b.zip = zip.NewWriter(&countingWriter{to: out, bytes: &b.bytes})
	return b
}

// store adds one file. It is a writer's store function.
func (b *bundleWriter) store(_ context.Context, name string, data []byte) error {
	// Images are compressed already, so deflating them costs time and saves nothing.
	// CreateRaw writes the sizes into the local header, which CreateHeader does not.
	size := uint64(len(data))
	entry, err := b.zip.CreateRaw(&zip.FileHeader{
		Name:               name,
		Method:             zip.Store,
		CRC32:              crc32.ChecksumIEEE(data),
		CompressedSize64:   size,
		UncompressedSize64: size,
	})
	if err != nil {
		return err
	}
	_, err = entry.Write(data)
	return err
}

// close writes the central directory.
func (b *bundleWriter) close() error { return b.zip.Close() }

// countingWriter adds the bytes that it passes on to a sum.
type countingWriter struct {
	to    io.Writer
	bytes *int64
}

// Write implements io.Writer.
func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	*w.bytes += int64(n)
	return n, err
}
