package sog

import (
	"archive/zip"
	"hash/crc32"
	"io"
)

// bundleSink writes a .sog: a zip of stored entries, whose sizes stand before
// them. Simple readers find their way in it without the directory.
type bundleSink struct{ zip *zip.Writer }

// newBundleSink begins a bundle. close ends it; out stays open.
func newBundleSink(out io.Writer) *bundleSink { return &bundleSink{zip.NewWriter(out)} }

// Create implements Sink.
func (s *bundleSink) Create(name string) (io.WriteCloser, error) {
	return &bundledFile{zip: s.zip, name: name}, nil
}

// close writes the directory.
func (s *bundleSink) close() error { return s.zip.Close() }

// bundledFile becomes an entry with its one Write, which writeFile makes.
type bundledFile struct {
	zip  *zip.Writer
	name string
}

// Write implements io.Writer.
func (f *bundledFile) Write(data []byte) (int, error) {
	size := uint64(len(data))
	entry, err := f.zip.CreateRaw(&zip.FileHeader{
		Name:               f.name,
		Method:             zip.Store,
		CRC32:              crc32.ChecksumIEEE(data),
		CompressedSize64:   size,
		UncompressedSize64: size,
	})
	if err != nil {
		return 0, err
	}
	return entry.Write(data)
}

// Close implements io.Closer.
func (*bundledFile) Close() error { return nil }

// countingWriter counts the bytes that it passes on.
type countingWriter struct {
	to io.Writer
	n  int64
}

// Write implements io.Writer.
func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.n += int64(n)
	return n, err
}
