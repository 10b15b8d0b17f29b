package gltf

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// maxFiles bounds how many files a glTF file may name.
const maxFiles = 10_000

// checkData checks that all data is there: within the file, in a BIN chunk or in
// files of the folder (section 3.6.1).
func (k *checker) checkData(ctx context.Context, f *files) error {
	for i := range k.Buffers {
		b := &k.Buffers[i]
		size, err := k.dataSize(ctx, f, i)
		if err != nil {
			return err
		}
		if b.ByteLength < 0 || int64(b.ByteLength) > size {
			return k.fault("buffer %d has %d bytes, of which there are %d", i, b.ByteLength, size)
		}
	}
	for i := range k.Images {
		uri := k.Images[i].URI
		switch {
		case uri == "":
		case isData(uri):
			if _, err := dataLength(uri); err != nil {
				return k.fault("image %d has damaged data", i)
			}
		default:
			if _, err := f.size(ctx, uri); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataSize returns how much data there is for a buffer, in bytes. Without a URI it is the BIN
// chunk; a buffer that an extension replaces may have none.
func (k *checker) dataSize(ctx context.Context, f *files, i int) (int64, error) {
	b := &k.Buffers[i]
	switch {
	case isData(b.URI):
		size, err := dataLength(b.URI)
		if err != nil {
			return 0, k.fault("buffer %d has damaged data", i)
		}
		return size, nil
	case b.URI != "":
		return f.size(ctx, b.URI)
	case i == 0 && k.content.binary >= 0:
		return k.content.binary, nil
	case b.Extensions.Meshopt.Fallback || b.Extensions.KHRMeshopt.Fallback:
		return int64(b.ByteLength), nil
	default:
		return 0, k.fault("buffer %d has no data", i)
	}
}

// isData tells whether a URI holds its data itself.
func isData(uri string) bool { return len(uri) >= 5 && strings.EqualFold(uri[:5], "data:") }

// dataLength returns how many bytes a data URI holds (RFC 2397).
func dataLength(uri string) (int64, error) {
	head, body, ok := strings.Cut(uri, ",")
	if !ok {
		return 0, errors.New("no data")
	}
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		text, err := url.PathUnescape(body)
		return int64(len(text)), err
	}
	body = strings.TrimRight(body, "=") // browsers forgive its absence
	return io.Copy(io.Discard, base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(body)))
}

// files finds the files that a glTF file names. Each is opened once, for its size;
// nothing is read.
type files struct {
	folder folder.Reader
	base   string           // folder of the glTF file
	name   string           // of the glTF file
	sizes  map[string]int64 // of those that have been found, by name
}

// size returns the size of the file that a URI names, which must be in the folder.
func (f *files) size(ctx context.Context, uri string) (int64, error) {
	name, err := f.resolve(uri)
	if err != nil {
		return 0, err
	}
	if size, ok := f.sizes[name]; ok {
		return size, nil
	}
	if len(f.sizes) == maxFiles {
		return 0, input.Errorf(f.name, "names more than %d files", maxFiles)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	file, err := f.folder.Open(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return 0, input.Errorf(f.name, "refers to %s, which is not there", input.Quote(name))
	case err != nil:
		return 0, fmt.Errorf("open %s: %w", input.Quote(name), err)
	}
	f.sizes[name] = file.Size()
	return f.sizes[name], file.Close()
}

// resolve turns a relative URI reference (section 2.8) into a name in the folder. It
// may lie above the glTF file, but not outside. Backslashes separate folders, as they
// do in browsers.
func (f *files) resolve(uri string) (string, error) {
	if IsAddress(uri) {
		return "", input.Errorf(f.name, "refers to the address %s; everything it uses must be with it", input.Quote(uri))
	}
	text, err := url.PathUnescape(uri)
	if err != nil {
		text = uri // written unescaped by a careless exporter
	}
	text = strings.ReplaceAll(text, `\`, "/")
	name := path.Join(f.base, text)
	switch {
	case strings.HasPrefix(text, "/"):
		return "", input.Errorf(f.name, "refers to %s, whose path is absolute", input.Quote(uri))
	case !fs.ValidPath(name) || strings.Contains(name, "\x00"):
		return "", input.Errorf(f.name, "refers to %s, which lies outside of its folder", input.Quote(uri))
	}
	return name, nil
}

// IsAddress tells whether a URI reference leaves the site: it has a scheme, or a
// host.
func IsAddress(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	return strings.HasPrefix(uri, "//") || strings.HasPrefix(uri, `\\`) || ok && !strings.ContainsAny(scheme, "/?#")
}

// names returns the names of all files that were found, sorted.
func (f *files) names() []string { return slices.Sorted(maps.Keys(f.sizes)) }
