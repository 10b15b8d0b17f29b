package spz

import (
	"encoding/binary"
	"io"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// The two headers. That of versions before 4 is within the gzip stream.
const (
	magic        = 0x5053474e // "NGSP"
	oldHeader    = 16         // bytes
	newHeader    = 32
	newest       = 4
	gzipMagic    = 0x8b1f // as 16 bits
	maxFraction  = 24     // bits behind the point of positions of 24 bits
	degreeOffset = 12     // and what follows it
)

// Flags of the header.
const (
	flagAntialiased = 0x01
	flagExtensions  = 0x02
	flagTree        = 0x80 // by Spark
)

// Limits on what a file may unpack to. Real ones unpack to twice their size; those
// that were made for tests, to fifty times.
const (
	// MaxUnpacked is how many bytes of Gaussians are held in memory at most.
	MaxUnpacked = 2 << 30
	maxRatio    = 200
	ratioFloor  = 16 << 20 // bytes that a file may unpack to whatever its size
)

// header is what a file says of itself. After check its numbers can be multiplied
// without overflow.
type header struct {
	version  uint32
	splats   int
	degree   int
	fraction int // bits
	flags    byte
	// streams and table are those of version 4: how many there are, and where
	// the table of their sizes begins.
	streams int
	table   int64
}

// readHeader reads the header of any version. Only the start of the file is read,
// and unpacked.
func readHeader(file folder.File, name string) (*header, error) {
	b := make([]byte, min(newHeader, file.Size()))
	if err := readAt(file, b, 0); err != nil {
		return nil, err
	}
	var h *header
	switch {
	case len(b) >= 4 && binary.LittleEndian.Uint32(b) == magic:
		if len(b) < newHeader {
			return nil, input.Errorf(name, "is cut off within its SPZ header")
		}
		h = parse(b)
		h.streams, h.table = int(b[15]), int64(binary.LittleEndian.Uint32(b[16:]))
		if h.version < newest {
			return nil, input.Errorf(name, "is SPZ of version %d without compression, which there is not", h.version)
		}
	case len(b) >= 2 && binary.LittleEndian.Uint16(b) == gzipMagic:
		r, err := unzip(file)
		if err == nil {
			_, err = io.ReadFull(r, b[:min(oldHeader, len(b))])
		}
		switch {
		case err != nil:
			return nil, blame(err, name)
		case len(b) < oldHeader || binary.LittleEndian.Uint32(b) != magic:
			return nil, input.Errorf(name, "is compressed by gzip, but holds no SPZ")
		}
		if h = parse(b); h.version >= newest {
			return nil, input.Errorf(name, "is SPZ of version %d within gzip, which there is not", h.version)
		}
	default:
		return nil, input.Errorf(name, "is no SPZ file")
	}
	return h, h.check(file.Size(), name)
}

// parse takes the fields that all versions share, from the 16 bytes that they have in
// common.
func parse(b []byte) *header {
	return &header{
		version:  binary.LittleEndian.Uint32(b[4:]),
		splats:   int(binary.LittleEndian.Uint32(b[8:])),
		degree:   int(b[degreeOffset]),
		fraction: int(b[degreeOffset+1]),
		flags:    b[degreeOffset+2],
	}
}

// check refuses what cannot be read, and counts that the file cannot hold before
// memory is taken for them.
func (h *header) check(size int64, name string) error {
	switch {
	case h.version == 0 || h.version > newest:
		return input.Errorf(name, "is SPZ of version %d; versions 1 to %d can be read", h.version, newest)
	case h.splats == 0:
		return input.Errorf(name, "holds no Gaussians")
	case h.degree > gaussian.MaxDegree:
		return input.Errorf(name, "has harmonics of degree %d; at most %d can be read", h.degree, gaussian.MaxDegree)
	case h.version > 1 && h.fraction > maxFraction:
		return input.Errorf(name, "has positions with %d bits behind the point, which is more than their %d bits", h.fraction, maxFraction)
	case h.version >= newest && h.flags&flagTree != 0:
		return input.Errorf(name, "claims a tree of levels of detail, which version %d has no place for", h.version)
	}
	unpacked := int64(h.splats) * int64(h.bytes())
	switch {
	case unpacked > MaxUnpacked:
		return input.Errorf(name, "is too large: %d Gaussians of %d bytes unpacked, at most %d bytes", h.splats, h.bytes(), MaxUnpacked)
	case unpacked > ratioFloor && unpacked/maxRatio > size:
		return input.Errorf(name, "claims %d Gaussians, more than its %d bytes can hold", h.splats, size)
	}
	return nil
}

// sizes returns how many bytes a Gaussian has in each of the streams, which are
// positions, opacities, colours, scales, rotations and harmonics.
func (h *header) sizes() [6]int {
	position, rotation := 9, 4
	if h.version == 1 {
		position = 6
	}
	if h.version < 3 {
		rotation = 3
	}
	return [6]int{position, 1, 3, 3, rotation, 3 * gaussian.Coefficients(h.degree)}
}

// bytes returns how many bytes of the file a Gaussian takes, unpacked.
func (h *header) bytes() int {
	total := 0
	for _, n := range h.sizes() {
		total += n
	}
	if h.flags&flagTree != 0 {
		total += treeBytes
	}
	return total
}
