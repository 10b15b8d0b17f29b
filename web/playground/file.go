package playground

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
)

// kinds are the media types of the files that the page loads.
var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// file is kept compressed, which is how nearly all browsers take it.
type file struct {
	compressed []byte
	size       int // of the content itself
	hash       string
	kind       string // its media type
	cache      string // its Cache-Control
}

// open returns an embedded file that the page loads. Those that are fetched are
// compressed, our own are not.
func open(name string) (*file, error) {
	compressed, err := embedded.ReadFile("files/" + name + ".gz")
	if errors.Is(err, fs.ErrNotExist) {
		var content []byte
		content, err = embedded.ReadFile("page/" + name)
		compressed = compress(content)
	}
	if err != nil {
		return nil, err
	}
	return newFile(compressed, kinds[path.Ext(name)], "public, max-age=31536000, immutable"), nil
}

// newFile returns a file of a content that is compressed.
func newFile(compressed []byte, kind, cache string) *file {
	sum := sha256.Sum256(compressed)
	return &file{
		compressed: compressed,
		// gzip ends with the size of what it holds (RFC 1952 section 2.3.1).
		size: int(binary.LittleEndian.Uint32(compressed[len(compressed)-4:])),
		hash: hex.EncodeToString(sum[:8]),
		kind: kind, cache: cache,
	}
}

// compress returns a content as gzip.
func compress(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

// ServeHTTP implements http.Handler.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, tag, size := w.Header(), f.hash, f.size
	protect(h)
	h.Set("Cache-Control", f.cache)
	h.Set("Vary", "Accept-Encoding")
	zipped := takesGzip(r)
	if zipped {
		h.Set("Content-Encoding", "gzip")
		tag, size = tag+"-gzip", len(f.compressed)
	}
	tag = `"` + tag + `"`
	h.Set("ETag", tag)
	if has(r, tag) {
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
func (f *file) content(zipped bool) io.Reader {
	compressed := bytes.NewReader(f.compressed)
	if zipped {
		return compressed
	}
	content, err := gzip.NewReader(compressed)
	if err != nil {
		panic(err) // a programmer's mistake: it is embedded
	}
	return content
}
