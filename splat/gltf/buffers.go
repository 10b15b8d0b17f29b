package gltf

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"portico/splat/folder"
	"portico/splat/meshopt"
)

// buffers opens the buffers of a checked file and keeps them open. It is used only while the file
// is opened. The readers that it returns are used later and are safe for concurrent use.
type buffers struct {
	checker *checker
	ctx     context.Context //nolint:containedctx // of the call that opens the file
	// files contains the open buffers by their index, and closers the files that close closes.
	files   map[int]folder.File
	closers []io.Closer
	// decoded contains the open compressed buffer views by their index. Attributes that share a
	// view share its decoded parts too.
	decoded map[integer]*meshopt.View
}

// file returns a buffer. checkData has checked that all its bytes exist.
func (b *buffers) file(index int) (folder.File, error) {
	if file, ok := b.files[index]; ok {
		return file, nil
	}
	file, err := b.open(index)
	if err != nil {
		return nil, err
	}
	b.files[index] = file
	return file, nil
}

// open opens a buffer: the data in its URI, a file, or the BIN chunk.
func (b *buffers) open(index int) (folder.File, error) {
	k, uri := b.checker, b.checker.Buffers[index].URI
	switch {
	case isData(uri):
		data, err := dataOf(uri)
		if err != nil {
			return nil, k.damaged("the data of buffer %d cannot be read", index)
		}
		return section{io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))}, nil
	case uri != "":
		name, err := k.files.resolve(uri)
		if err != nil {
			return nil, err
		}
		return b.openFile(name)
	case k.content.binary < 0:
		return nil, k.damaged("buffer %d has no data", index)
	}
	file, err := b.openFile(k.name)
	if err != nil {
		return nil, err
	}
	return section{io.NewSectionReader(file, k.content.binaryAt, k.content.binary)}, nil
}

// openFile opens a file of the folder. checkData has checked that it exists.
func (b *buffers) openFile(name string) (folder.File, error) {
	file, err := b.checker.files.folder.Open(b.ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	b.closers = append(b.closers, file)
	return file, nil
}

// view returns the bytes of a buffer view.
func (b *buffers) view(index integer) (folder.File, error) {
	file, offset, err := b.data(index)
	if err != nil {
		return nil, err
	}
	return section{io.NewSectionReader(file, offset, int64(b.checker.BufferViews[index].ByteLength))}, nil
}

func (b *buffers) size() (total int64) {
	for i := range b.checker.Buffers {
		if !b.checker.placeholders[i] {
			total += int64(b.checker.Buffers[i].ByteLength)
		}
	}
	return total
}

func (b *buffers) close() error {
	var errs []error
	for _, c := range b.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// section is a part of a file, or data in memory. Closing it does not close the file.
type section struct{ *io.SectionReader }

// Close does nothing.
func (section) Close() error { return nil }

// dataOf returns the bytes of a data URI (RFC 2397). dataLength has checked the URI before. The
// data is smaller than the JSON, whose size is limited.
func dataOf(uri string) ([]byte, error) {
	head, body, _ := strings.Cut(uri, ",")
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		text, err := url.PathUnescape(body)
		return []byte(text), err
	}
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
}
