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

// maxFiles is the maximum number of files that a glTF file may name.
const maxFiles = 10_000

// checkData checks that all data exists: in URIs, in the BIN chunk or in files of the folder
// (section 3.6.1). It opens each file, but reads none of it.
func (k *checker) checkData(ctx context.Context, f *files) error {
	k.findPlaceholders()
	for i := range k.Buffers {
		b := &k.Buffers[i]
		size, err := k.dataSize(ctx, f, i)
		if err != nil {
			return err
		}
		// The data may be longer: a BIN chunk is padded to four bytes (section 3.6.1.2).
		if b.ByteLength < 0 || int64(b.ByteLength) > size {
			return k.damaged("buffer %d claims %d bytes and has %d", i, b.ByteLength, size)
		}
	}
	for i := range k.Images {
		uri := k.Images[i].URI
		switch {
		case uri == "": // the image is in a buffer view
		case isData(uri):
			if _, err := dataLength(uri); err != nil {
				return k.damaged("the data of image %d cannot be read", i)
			}
		default:
			if _, err := f.size(ctx, uri); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataSize returns the size of a buffer's data in bytes. The first buffer without a URI
// is the BIN chunk. A buffer that an extension replaces may have no data.
func (k *checker) dataSize(ctx context.Context, f *files, i int) (int64, error) {
	b := &k.Buffers[i]
	switch {
	case isData(b.URI):
		size, err := dataLength(b.URI)
		if err != nil {
			return 0, k.damaged("the data of buffer %d cannot be read", i)
		}
		return size, nil
	case b.URI != "":
		return f.size(ctx, b.URI)
	case i == 0 && k.content.binary >= 0:
		return k.content.binary, nil
	case k.placeholders[i]:
		return int64(b.ByteLength), nil
	default:
		return 0, k.damaged("buffer %d has no data", i)
	}
}

// isData reports whether a URI contains the data itself.
func isData(uri string) bool { return len(uri) >= 5 && strings.EqualFold(uri[:5], "data:") }

// dataLength returns the number of bytes in a data URI (RFC 2397). It decodes base64 to find
// invalid characters, and keeps none of the bytes.
func dataLength(uri string) (int64, error) {
	head, body, ok := strings.Cut(uri, ",")
	if !ok {
		return 0, errors.New("no data")
	}
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		text, err := url.PathUnescape(body)
		return int64(len(text)), err
	}
	body = strings.TrimRight(body, "=") // browsers accept base64 without padding
	return io.Copy(io.Discard, base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(body)))
}

// files finds the files that a glTF file names. It opens each file once for its size, and reads no
// content.
type files struct {
	folder folder.Reader
	base   string           // folder of the glTF file
	name   string           // of the glTF file
	sizes  map[string]int64 // of the files found so far, by name
}

// size returns the size of the file that a URI names.
func (f *files) size(ctx context.Context, uri string) (int64, error) {
	name, err := f.resolve(uri)
	if err != nil {
		return 0, err
	}
	if size, ok := f.sizes[name]; ok {
		return size, nil
	}
	// The number of names is limited, because opening a file in an object store is a request.
	if len(f.sizes) == maxFiles {
		return 0, input.Errorf(f.name, "names more than %d files", maxFiles).Advise("Export the model as .glb")
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	file, err := f.folder.Open(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return 0, input.Errorf(f.name, "refers to %s, which is missing", input.Quote(name)).Advise("Upload the model with all its files")
	case err != nil:
		return 0, fmt.Errorf("open %s: %w", input.Quote(name), err)
	}
	f.sizes[name] = file.Size()
	return f.sizes[name], file.Close()
}

// resolve returns the name in the folder to which a relative URI reference points (section
// 2.8). The file may be in a parent folder of the glTF file, but not outside of the folder. As
// in browsers, a backslash is a slash.
func (f *files) resolve(uri string) (string, error) {
	if IsAddress(uri) {
		return "", input.Errorf(f.name, "refers to the address %s", input.Quote(uri)).
			Advise("Export the model with all its files")
	}
	text, err := url.PathUnescape(uri)
	if err != nil {
		text = uri // some exporters do not escape names
	}
	text = strings.ReplaceAll(text, `\`, "/")
	// Join resolves ".." segments, so a name that still starts with ".." leads outside.
	name := path.Join(f.base, text)
	switch {
	case strings.HasPrefix(text, "/"):
		return "", input.Errorf(f.name, "refers to %s, which has an absolute path", input.Quote(uri)).
			Advise("Export the model again")
	case !fs.ValidPath(name) || strings.Contains(name, "\x00"):
		return "", input.Errorf(f.name, "refers to %s, which is outside of its folder", input.Quote(uri)).
			Advise("Export the model again")
	}
	return name, nil
}

// IsAddress reports whether a URI reference leads to another server: it has a scheme or a host. A
// colon after a slash, a question mark or a number sign is not the end of a scheme (RFC 3986
// section 4.2).
func IsAddress(uri string) bool {
	scheme, _, ok := strings.Cut(uri, ":")
	return strings.HasPrefix(uri, "//") || strings.HasPrefix(uri, `\\`) || ok && !strings.ContainsAny(scheme, "/?#")
}

// names returns the names of all files that were found, sorted.
func (f *files) names() []string { return slices.Sorted(maps.Keys(f.sizes)) }
