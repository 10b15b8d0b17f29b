package spz

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"portico/splat/folder"
	"portico/splat/input"
)

// stepSize is how many bytes are unpacked between two checks of the context.
const stepSize = 1 << 20

// maxWindow is the maximum window of a Zstandard stream, in bytes: the window of the highest
// level of the reference compressor. A hostile stream may request gigabytes (RFC 8878, section
// 3.1.1.1.2).
const maxWindow = 128 << 20

// maxExtensions is the maximum size of all extensions, in bytes. Known ones have 20.
const maxExtensions = 64 << 10

// treeBytes is the size of Spark's tree for each Gaussian: the number of its children in 16
// bits, and the index of the first child in 32 bits. Gaussians without children are leaves.
const treeBytes = 6

// packed contains the Gaussians of a file in the encoding of the file.
type packed struct {
	splats                                                   int
	positions, alphas, colours, scales, rotations, harmonics []byte
	axes                                                     axes
}

// streams returns the streams in the order of the file.
func (p *packed) streams() [6]*[]byte {
	return [6]*[]byte{&p.positions, &p.alphas, &p.colours, &p.scales, &p.rotations, &p.harmonics}
}

// unpack reads all Gaussians of a file and checks that none is missing. It does not check their
// values, because every bit pattern is valid.
//
// The memory is limited before it is allocated: check has compared the number of Gaussians with
// MaxUnpacked and with the size of the file, and fill allocates only what arrives.
func unpack(ctx context.Context, file folder.File, h *header, name string) (*packed, error) {
	p := &packed{splats: h.splats, axes: defaultAxes}
	var err error
	if h.version >= newest {
		err = p.unpackStreams(ctx, file, h, name)
	} else {
		err = p.unpackGzip(ctx, file, h, name)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// unpackGzip reads the streams of versions 1 to 3, one after the other.
func (p *packed) unpackGzip(ctx context.Context, file folder.File, h *header, name string) error {
	r, err := openStream(file, h)
	if err != nil {
		return unpackError(err, name)
	}
	if _, err := io.CopyN(io.Discard, r, oldHeader); err != nil {
		return unpackError(err, name)
	}
	for i, size := range h.sizes() {
		if *p.streams()[i], err = fill(ctx, r, h.splats*size); err != nil {
			return unpackError(err, name)
		}
	}
	if h.flags&flagTree != 0 {
		tree, err := fill(ctx, r, h.splats*treeBytes)
		if err != nil {
			return unpackError(err, name)
		}
		if p.keepLeaves(tree[:2*h.splats], h); p.splats == 0 {
			return input.Damaged(name, "its tree of levels of detail has no leaves")
		}
	}
	return p.readEnd(r, h, name)
}

// readEnd reads everything after the Gaussians of versions 1 to 3: the extensions, and the end
// of the gzip stream, which verifies the stream's checksum. Like the reference library it
// ignores unknown bytes.
func (p *packed) readEnd(r io.Reader, h *header, name string) error {
	rest, err := io.ReadAll(io.LimitReader(r, maxExtensions+1))
	switch {
	case err != nil:
		return unpackError(err, name)
	case len(rest) > maxExtensions:
		return input.Damaged(name, "more than %d bytes follow its Gaussians", maxExtensions)
	case h.flags&flagExtensions == 0:
		return nil
	}
	p.axes, err = readExtensions(rest, name)
	return err
}

// unpackStreams reads version 4: header, extensions, table, streams.
func (p *packed) unpackStreams(ctx context.Context, file folder.File, h *header, name string) error {
	t, err := readTable(file, h, name)
	if err != nil {
		return err
	}
	p.axes = t.axes
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(MaxUnpacked))
	if err != nil {
		return fmt.Errorf("create Zstandard decoder: %w", err)
	}
	defer decoder.Close()
	at := t.data
	// All streams share one decoder, because the window of a decoder takes up to 128 MiB.
	for i, size := range t.sizes {
		if err := decoder.Reset(newReader(file, at, size)); err != nil {
			return unpackError(err, name)
		}
		if *p.streams()[i], err = fill(ctx, decoder, h.splats*h.sizes()[i]); err != nil {
			return unpackError(err, name)
		}
		// Reading to the end also verifies the checksum of the stream.
		if n, err := decoder.Read(make([]byte, 1)); n > 0 {
			return input.Damaged(name, "stream %d holds more than %d Gaussians", i+1, h.splats)
		} else if err != io.EOF {
			return unpackError(err, name)
		}
		at += size
	}
	return nil
}

// table contains the sizes and the offset of the streams of version 4.
type table struct {
	sizes []int64 // of the streams in the file, in bytes
	data  int64   // offset of the first stream
	axes  axes
}

// readTable reads and checks the table of streams and the extensions. The streams must end with
// the file, and contain the number of Gaussians in the header.
func readTable(file folder.File, h *header, name string) (*table, error) {
	want := 6
	if h.degree == 0 { // no stream of harmonics
		want = 5
	}
	const row = 16 // bytes of the table per stream: packed and unpacked size
	t := &table{data: h.table + int64(h.streams)*row}
	switch {
	case h.streams != want:
		return nil, input.Damaged(name, "it has %d streams, but degree %d requires %d", h.streams, h.degree, want)
	case h.table < newHeader || h.table > newHeader+maxExtensions:
		return nil, input.Damaged(name, "its table of streams cannot start at byte %d", h.table)
	case t.data > file.Size():
		return nil, input.CutOff(name, "it ends within its table of streams")
	}
	b := make([]byte, t.data-newHeader)
	if err := readAt(file, b, newHeader); err != nil {
		return nil, err
	}
	extensions, rows := b[:h.table-newHeader], b[h.table-newHeader:]
	left := uint64(file.Size() - t.data)
	for i := range h.streams {
		size, unpacked := binary.LittleEndian.Uint64(rows[row*i:]), binary.LittleEndian.Uint64(rows[row*i+8:])
		if need := h.splats * h.sizes()[i]; unpacked != uint64(need) {
			return nil, input.Damaged(name, "stream %d claims %d bytes unpacked, but %d Gaussians have %d", i+1, unpacked, h.splats, need)
		}
		if size > left {
			return nil, input.CutOff(name, "stream %d has %d bytes, of which %d are left", i+1, size, left)
		}
		left -= size
		t.sizes = append(t.sizes, int64(size))
	}
	if left > 0 {
		return nil, input.Damaged(name, "%d bytes follow its streams", left)
	}
	t.axes = defaultAxes
	if h.flags&flagExtensions == 0 {
		return t, nil
	}
	var err error
	t.axes, err = readExtensions(extensions, name)
	return t, err
}

// fill reads size bytes. It doubles its buffer as bytes arrive, so that with a header that
// claims too much it allocates at most twice the memory of the real bytes.
func fill(ctx context.Context, r io.Reader, size int) ([]byte, error) {
	b := make([]byte, 0, min(size, stepSize))
	for len(b) < size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(size, 2*cap(b))), b...)
		}
		n, err := io.ReadFull(r, b[len(b):min(cap(b), len(b)+stepSize)])
		b = b[:len(b)+n]
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// unpackError returns an internal error for a failure to read, and an *input.Error for data that
// cannot be unpacked. Decompressors have many errors for such data, so every error that is not
// a failure to read counts as a fault of the data.
func unpackError(err error, name string) error {
	_, medium := errors.AsType[*readError](err)
	switch {
	case medium, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("unpack SPZ: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return input.CutOff(name, "it ends within its Gaussians")
	default:
		return input.Damaged(name, "its data cannot be unpacked")
	}
}
