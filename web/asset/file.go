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
)

// Forever is the Cache-Control of a file whose address changes with its content.
const Forever = "public, max-age=31536000, immutable"

// File is a content that never changes. It is kept compressed, which is how nearly all
// browsers take it.
type File struct {
	compressed []byte
	size       int // of the content itself
	hash       string
	kind       string // its media type
	cache      string // its Cache-Control
}

// New returns a file of a content with its media type and its Cache-Control.
func New(content []byte, kind, cache string) *File { return FromGzip(compress(content), kind, cache) }

// FromGzip is New for a content that is compressed already.
func FromGzip(compressed []byte, kind, cache string) *File {
	sum := sha256.Sum256(compressed)
	return &File{
		compressed: compressed,
		// gzip ends with the size of what it holds (RFC 1952 section 2.3.1).
		size: int(binary.LittleEndian.Uint32(compressed[len(compressed)-4:])),
		hash: hex.EncodeToString(sum[:8]),
		kind: kind, cache: cache,
	}
}

// Hash returns 16 hex digits that change with the content.
func (f *File) Hash() string { return f.hash }

// compress returns a content as gzip.
func compress(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(content)                               // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

// ServeHTTP answers GET and HEAD. The caller has set the security headers.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, tag, size := w.Header(), f.hash, f.size
	h.Set("Cache-Control", f.cache)
	h.Set("Vary", "Accept-Encoding")
	zipped := TakesGzip(r)
	if zipped {
		h.Set("Content-Encoding", "gzip")
		tag, size = tag+"-gzip", len(f.compressed)
	}
	tag = `"` + tag + `"`
	h.Set("ETag", tag)
	if Matches(r, tag) {
		h.Del("Content-Encoding") // of a content, which this answer has not
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", strconv.Itoa(size))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, f.content(zipped)) // fails when the client has gone
	}
}

// content reads the file as it is sent.
func (f *File) content(zipped bool) io.Reader {
	compressed := bytes.NewReader(f.compressed)
	if zipped {
		return compressed
	}
	content, err := gzip.NewReader(compressed)
	if err != nil {
		panic(err) // a programmer's mistake: the file is ours
	}
	return content
}
