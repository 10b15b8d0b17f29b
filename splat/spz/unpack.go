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

// stepSize is how much is unpacked at a time, in bytes. The context is looked at as
// often.
const stepSize = 1 << 20

// maxWindow is what a Zstandard stream may make a reader remember, in bytes. The
// highest level of the reference compressor asks for as much.
const maxWindow = 128 << 20

// maxExtensions bounds the extensions of a file, in bytes; known ones have twenty.
const maxExtensions = 64 << 10

// treeBytes is what Spark's tree has for each Gaussian: 16 bits, the number of its
// children, and 32, the first of them. Those without children are the finest level.
const treeBytes = 6

// packed is the Gaussians of a file as they are in it.
type packed struct {
	splats                                                   int
	positions, alphas, colours, scales, rotations, harmonics []byte
	axes                                                     axes
}

// streams returns the streams in the order of the file.
func (p *packed) streams() [6]*[]byte {
	return [6]*[]byte{&p.positions, &p.alphas, &p.colours, &p.scales, &p.rotations, &p.harmonics}
}

// unpack reads all Gaussians of a file. They are all checked to be there; their values
// need no checks, for every pattern of bits is a Gaussian.
func unpack(ctx context.Context, file folder.File, h *header, name string) (*packed, error) {
	p := &packed{splats: h.splats, axes: native}
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
	r, err := unzip(file)
	if err != nil {
		return blame(err, name)
	}
	if _, err := io.CopyN(io.Discard, r, oldHeader); err != nil {
		return blame(err, name)
	}
	for i, size := range h.sizes() {
		if *p.streams()[i], err = fill(ctx, r, h.splats*size); err != nil {
			return blame(err, name)
		}
	}
	if h.flags&flagTree != 0 {
		tree, err := fill(ctx, r, h.splats*treeBytes)
		if err != nil {
			return blame(err, name)
		}
		if p.keepLeaves(tree[:2*h.splats], h); p.splats == 0 {
			return input.Errorf(name, "is damaged: its tree of levels of detail has no ends")
		}
	}
	return p.readEnd(r, h, name)
}

// readEnd reads what follows the Gaussians of versions 1 to 3. That takes in the
// checksum; bytes that belong to nothing are tolerated, as the reference does.
func (p *packed) readEnd(r io.Reader, h *header, name string) error {
	rest, err := io.ReadAll(io.LimitReader(r, maxExtensions+1))
	switch {
	case err != nil:
		return blame(err, name)
	case len(rest) > maxExtensions:
		return input.Errorf(name, "is too long: more than %d bytes follow its Gaussians", maxExtensions)
	case h.flags&flagExtensions == 0:
		return nil
	}
	p.axes, err = readExtensions(rest, name)
	return err
}

// unpackStreams reads version 4: between the header and the table are extensions,
// behind the table the streams.
func (p *packed) unpackStreams(ctx context.Context, file folder.File, h *header, name string) error {
	t, err := readTable(file, h, name)
	if err != nil {
		return err
	}
	p.axes = t.axes
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(MaxUnpacked))
	if err != nil {
		return fmt.Errorf("make Zstandard decoder: %w", err)
	}
	defer decoder.Close()
	at := t.data
	// One after the other, through one decoder: its window is memory too.
	for i, size := range t.sizes {
		if err := decoder.Reset(newReader(file, at, size)); err != nil {
			return blame(err, name)
		}
		if *p.streams()[i], err = fill(ctx, decoder, h.splats*h.sizes()[i]); err != nil {
			return blame(err, name)
		}
		if n, err := decoder.Read(make([]byte, 1)); n > 0 {
			return input.Errorf(name, "is damaged: stream %d holds more than %d Gaussians", i+1, h.splats)
		} else if err != io.EOF {
			return blame(err, name)
		}
		at += size
	}
	return nil
}

// table is what stands before the streams of version 4.
type table struct {
	sizes []int64 // of the streams in the file, in bytes
	data  int64   // where the first begins
	axes  axes
}

// readTable reads and checks the table of streams and the extensions. The streams
// must fill the rest of the file, and hold what the header says.
func readTable(file folder.File, h *header, name string) (*table, error) {
	want := 6
	if h.degree == 0 {
		want = 5
	}
	const row = 16
	t := &table{data: h.table + int64(h.streams)*row}
	switch {
	case h.streams != want:
		return nil, input.Errorf(name, "has %d streams; those of degree %d have %d", h.streams, h.degree, want)
	case h.table < newHeader || h.table > newHeader+maxExtensions:
		return nil, input.Errorf(name, "is damaged: its table of streams cannot begin at byte %d", h.table)
	case t.data > file.Size():
		return nil, input.Errorf(name, "is cut off within its table of streams")
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
			return nil, input.Errorf(name, "is damaged: stream %d claims %d bytes unpacked; %d Gaussians have %d", i+1, unpacked, h.splats, need)
		}
		if size > left {
			return nil, input.Errorf(name, "is cut off: stream %d has %d bytes, %d are left", i+1, size, left)
		}
		left -= size
		t.sizes = append(t.sizes, int64(size))
	}
	if left > 0 {
		return nil, input.Errorf(name, "is too long: %d bytes follow its streams", left)
	}
	t.axes = native
	if h.flags&flagExtensions == 0 {
		return t, nil
	}
	var err error
	t.axes, err = readExtensions(extensions, name)
	return t, err
}

// fill reads size bytes. Memory is taken as they come, so that a claim costs no more
// than twice what is there.
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

// blame tells data that cannot be unpacked from a failure to read it. Decompressors
// have many errors for the former, so what is not the latter is taken for it.
func blame(err error, name string) error {
	_, medium := errors.AsType[*mediumError](err)
	switch {
	case medium, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("unpack SPZ: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return input.Errorf(name, "is cut off: it ends within its Gaussians")
	default:
		return input.Errorf(name, "is damaged: its data cannot be unpacked")
	}
}
