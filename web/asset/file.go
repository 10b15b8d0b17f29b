package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"

	"portico/internal/negotiate"
)

// Forever is the Cache-Control of a file whose address changes with its content.
const Forever = "public, max-age=31536000, immutable"

// File is static content. It is an http.Handler. Memory contains only the compressed form, which
// nearly all browsers accept.
type File struct {
	compressed   []byte
	size         int // of the content before compression, in bytes
	hash         string
	mediaType    string
	cacheControl string
}

// New returns a file with this content, media type and Cache-Control.
func New(content []byte, mediaType, cacheControl string) *File {
	return FromGzip(Compress(content, gzip.BestCompression), mediaType, cacheControl)
}

// FromGzip is New for content that is compressed with gzip. It must be valid gzip.
func FromGzip(compressed []byte, mediaType, cacheControl string) *File {
	sum := sha256.Sum256(compressed)
	return &File{
		compressed: compressed,
		// gzip ends with the size of the content (RFC 1952 section 2.3.1, ISIZE).
		size:      int(binary.LittleEndian.Uint32(compressed[len(compressed)-4:])),
		hash:      hex.EncodeToString(sum[:8]),
		mediaType: mediaType, cacheControl: cacheControl,
	}
}

// Hash returns 16 hex digits that change with the content.
func (f *File) Hash() string { return f.hash }

// Compress compresses content with gzip at a level of package compress/gzip. Files that are
// compressed once take the best level; pages, which are compressed for each request, the default
// one.
func Compress(content []byte, level int) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, level) // the level is a constant
	_, _ = w.Write(content)                // a bytes.Buffer returns no error
	_ = w.Close()                          // as above
	return b.Bytes()
}

// ServeHTTP handles GET and HEAD. The caller sets the security headers.
//
// It carries out conditional requests (RFC 9110 section 13.1.2). Both encodings have an ETag of
// their own, because a strong ETag stands for the bytes (section 8.8.3.3).
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, tag, size := w.Header(), f.hash, f.size
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Vary", "Accept-Encoding")
	zipped := negotiate.AcceptsGzip(r)
	if zipped {
		h.Set("Content-Encoding", "gzip")
		tag, size = tag+"-gzip", len(f.compressed)
	}
	tag = `"` + tag + `"`
	h.Set("ETag", tag)
	if Matches(r, tag) {
		h.Del("Content-Encoding") // a 304 has no content
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Length", strconv.Itoa(size))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, f.content(zipped)) // fails only when the client has disconnected
	}
}

// content returns a reader of the content, compressed or not.
func (f *File) content(zipped bool) io.Reader {
	compressed := bytes.NewReader(f.compressed)
	if zipped {
		return compressed
	}
	content, err := gzip.NewReader(compressed)
	if err != nil {
		panic(err) // a programmer's mistake: compressed is not gzip
	}
	return content
}
