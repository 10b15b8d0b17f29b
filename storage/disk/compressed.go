package disk

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"

	"portico/internal/negotiate"
	"portico/storage"
)

// compressedFolder has the compressed forms of objects: gzip/KEY is the object of KEY. It is beside
// the folder of the objects, so no address and no list leads into it.
//
// A compressed form belongs to the object with the same time. A form of another time, from an
// object that was replaced since or from a copy of the folder without times, is never served. So
// the two need no common transaction: without its form, an object is served as it is.
const compressedFolder = "gzip"

// The objects that have a compressed form: of these sizes in bytes, if the form saves at least a
// tenth.
const (
	minCompressed = 1 << 10
	maxCompressed = 64 << 20
)

// compressedName returns the path of the compressed form of an object below the root.
func compressedName(key string) string { return path.Join(compressedFolder, key) }

// isCompressible reports whether objects of this key may have a compressed form: manifests, and the
// binaries of collisions and of glTF. All other formats are compressed by themselves, or are
// originals that nobody visits.
func isCompressible(key string) bool {
	switch strings.ToLower(path.Ext(key)) {
	case ".json", ".lcc", ".lcc2", ".gltf", ".bin":
		return true
	}
	return false
}

// openCompressed opens the compressed form of an object; nil for none. It is never required, so it
// returns no error.
func (d *Store) openCompressed(object storage.Object) *os.File {
	if !isCompressible(object.Key) {
		return nil
	}
	file, err := d.root.Open(compressedName(object.Key))
	if err != nil {
		return nil
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || !info.ModTime().Equal(object.ModifiedAt) {
		_ = file.Close() // nothing was written
		return nil
	}
	return file
}

// wantsCompressed reports whether to respond with the compressed form. Ranges are ranges of the
// object itself.
func wantsCompressed(r *http.Request) bool {
	return r.Header.Get("Range") == "" && negotiate.AcceptsGzip(r)
}

// describeCompressed sets the headers of a response with the compressed form. Its ETag is its own,
// because a strong ETag stands for the bytes (RFC 9110 section 8.8.3.3). net/http sets no
// Content-Length beside a Content-Encoding.
func describeCompressed(h http.Header, object storage.Object, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("stat the compressed form of %s: %w", object.Key, err)
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("ETag", strings.TrimSuffix(object.ETag, `"`)+`-gzip"`)
	return nil
}

// compress writes the compressed form of a file in the folder and returns its name, which is "" if
// the form would save too little. The form has the time of the file.
func (s *staging) compress(from string, size int64) (name string, err error) {
	source, err := s.root.Open(from)
	if err != nil {
		return "", err
	}
	defer source.Close() //nolint:errcheck // read only
	name = from + ".gz"
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return "", fmt.Errorf("create incoming file: %w", storage.WrapFull(err))
	}
	// The level is valid. The best one saves 1 % more of a collision.
	zipped, _ := gzip.NewWriterLevel(file, gzip.DefaultCompression)
	_, err = io.Copy(zipped, source)
	err = storage.WrapFull(errors.Join(err, zipped.Close()))
	info, statErr := file.Stat()
	err = errors.Join(err, statErr, storage.WrapFull(file.Close()))
	if err == nil && info.Size() <= size-size/10 {
		return name, s.copyTime(from, name)
	}
	_ = s.root.Remove(name) // close removes what is left
	return "", err
}

// copyTime gives a file the time of another.
func (s *staging) copyTime(from, to string) error {
	info, err := s.root.Stat(from)
	if err != nil {
		return err
	}
	return s.root.Chtimes(to, info.ModTime(), info.ModTime())
}
