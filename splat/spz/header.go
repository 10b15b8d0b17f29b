package spz

import (
	"encoding/binary"
	"io"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// The constants of the two headers. Versions before 4 have the header within the gzip stream.
const (
	magic        = 0x5053474e // "NGSP"
	oldHeader    = 16         // bytes
	newHeader    = 32
	newest       = 4
	gzipMagic    = 0x8b1f // 16 bits, little-endian (RFC 1952, section 2.3.1)
	maxFraction  = 24     // fractional bits of a position, which has 24 bits
	degreeOffset = 12     // of the degree; fractional bits and flags follow
)

// Flags of the header (nianticlabs/spz, README.md, and Spark).
const (
	flagAntialiased = 0x01
	flagExtensions  = 0x02
	flagTree        = 0x80 // Spark only
)

// The limits of the unpacked size. Real files unpack to twice their size, and synthetic files
// to fifty times.
const (
	// MaxUnpacked is the maximum size of the unpacked Gaussians in memory, in bytes.
	MaxUnpacked = 2 << 30
	maxRatio    = 200
	ratioFloor  = 16 << 20 // bytes; smaller results may have any ratio
)

// header is the header of any version. After check, products of its numbers do not
// overflow.
type header struct {
	version  uint32
	splats   int
	degree   int
	fraction int // fractional bits of a position
	flags    byte
	// raw reports that a file of a version before 4 is not compressed by gzip. Some tools store SPZ
	// without compression in other files, and write it to a file without compressing it.
	raw bool
	// streams is the number of streams, and table is the offset of the table of their sizes, both
	// only in version 4.
	streams int
	table   int64
}

// readHeader reads the header of any version. It reads and unpacks only the start of
// the file.
//
// The first bytes tell the forms apart:
//
//	"NGSP", version 1 to 3    the bytes of a gzip stream without gzip
//	"NGSP", version 4         a header, a table and Zstandard streams
//	1F 8B                     gzip, whose content starts with "NGSP" and a version from 1 to 3
func readHeader(file folder.File, name string) (*header, error) {
	b := make([]byte, min(newHeader, file.Size()))
	if err := readAt(file, b, 0); err != nil {
		return nil, err
	}
	var h *header
	switch {
	case len(b) >= 4 && binary.LittleEndian.Uint32(b) == magic:
		if len(b) < oldHeader {
			return nil, input.CutOff(name, "it ends within its SPZ header")
		}
		if h = parse(b); h.version < newest {
			h.raw = true
			break
		}
		if len(b) < newHeader {
			return nil, input.CutOff(name, "it ends within its SPZ header")
		}
		h.streams, h.table = int(b[15]), int64(binary.LittleEndian.Uint32(b[16:]))
	case len(b) >= 2 && binary.LittleEndian.Uint16(b) == gzipMagic:
		r, err := openGzip(file)
		if err == nil {
			_, err = io.ReadFull(r, b[:min(oldHeader, len(b))])
		}
		switch {
		case err != nil:
			return nil, unpackError(err, name)
		case len(b) < oldHeader || binary.LittleEndian.Uint32(b) != magic:
			return nil, input.Errorf(name, "is a gzip file without SPZ data").Advise("Export it again as SPZ")
		}
		if h = parse(b); h.version >= newest {
			return nil, input.Damaged(name, "it is SPZ version %d in a gzip file, which that version does not use", h.version)
		}
	default:
		return nil, input.Errorf(name, "is not an SPZ file")
	}
	return h, h.check(file.Size(), name)
}

// parse returns the fields of the 16 bytes that all versions share.
func parse(b []byte) *header {
	return &header{
		version:  binary.LittleEndian.Uint32(b[4:]),
		splats:   int(binary.LittleEndian.Uint32(b[8:])),
		degree:   int(b[degreeOffset]),
		fraction: int(b[degreeOffset+1]),
		flags:    b[degreeOffset+2],
	}
}

// check refuses headers that cannot be read. It also refuses counts that are too large for the
// file, before memory is allocated for them.
func (h *header) check(size int64, name string) error {
	switch {
	case h.version == 0 || h.version > newest:
		return input.Errorf(name, "is SPZ version %d; versions 1 to %d can be read", h.version, newest).Advise("Export it as version 3")
	case h.splats == 0:
		return input.Errorf(name, "contains no Gaussians").Advise("Export the capture again")
	case h.degree > gaussian.MaxDegree:
		return input.Errorf(name, "has harmonics of degree %d; at most %d can be read", h.degree, gaussian.MaxDegree).
			Advise("Export it with fewer harmonics")
	case h.version > 1 && h.fraction > maxFraction:
		return input.Damaged(name, "its positions have %d fractional bits, more than their %d bits", h.fraction, maxFraction)
	case h.version >= newest && h.flags&flagTree != 0:
		return input.Damaged(name, "it claims a tree of levels of detail, which version %d cannot have", h.version)
	}
	unpacked := int64(h.splats) * int64(h.bytes())
	switch {
	case unpacked > MaxUnpacked:
		return input.Errorf(name, "is too large: its %d Gaussians have %d bytes each unpacked, at most %d bytes in all can be read", h.splats, h.bytes(), MaxUnpacked)
	case unpacked > ratioFloor && unpacked/maxRatio > size:
		return input.Damaged(name, "it claims %d Gaussians, more than its %d bytes can hold", h.splats, size)
	}
	return nil
}

// sizes returns the bytes per Gaussian in each stream: positions, opacities, colours,
// scales, rotations and harmonics.
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

// bytes returns the unpacked bytes per Gaussian.
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
