package ksplat

import (
	"encoding/binary"
	"math"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// Sizes in bytes.
const (
	headerSize  = 4096
	sectionSize = 1024
	centreSize  = 12
)

// The limits of a file. Real files have a few sections, and one bucket for 256 Gaussians.
const (
	maxSections = 1 << 12
	// maxBuckets is the maximum number of buckets in all sections. Each takes 20 bytes
	// of memory.
	maxBuckets = 1 << 22
)

// maxDegree is the highest degree of harmonics that a file may have.
const maxDegree = 3

// header contains what readers need of a file's first headerSize bytes.
type header struct {
	minor    byte
	sections int
	splats   int64
	level    int // of compression
	// low and high are the range of harmonics that are stored as one byte, which is only so at
	// level 2.
	low, high float32
}

// readHeader reads and checks the header. The offsets are from parseHeader in SplatBuffer.js. The
// other fields are room for more sections and Gaussians, and the centre of the scene, which readers
// do not need.
func readHeader(file folder.File, name string) (*header, error) {
	if file.Size() < headerSize {
		return nil, input.CutOff(name, "it ends within its header")
	}
	b := make([]byte, headerSize)
	if err := folder.ReadFull(file, b, 0); err != nil {
		return nil, err
	}
	h := &header{
		minor:    b[1],
		sections: int(binary.LittleEndian.Uint32(b[4:])),
		splats:   int64(binary.LittleEndian.Uint32(b[16:])),
		level:    int(binary.LittleEndian.Uint16(b[20:])),
		low:      float32At(b[36:]), high: float32At(b[40:]),
	}
	// Files before version 0.1 have no range: zero means the default.
	const defaultRange = 1.5
	if h.low == 0 {
		h.low = -defaultRange
	}
	if h.high == 0 {
		h.high = defaultRange
	}
	switch {
	case b[0] != 0:
		return nil, input.Errorf(name, "is not a .ksplat file, or of version %d.%d; version 0 can be read", b[0], b[1]).
			Advise("Export it again with a current tool")
	case h.level >= len(layouts):
		return nil, input.Errorf(name, "has the compression level %d; 0 to %d can be read", h.level, len(layouts)-1).
			Advise("Export it with another compression level")
	case h.sections < 1 || h.sections > maxSections:
		return nil, input.Damaged(name, "it has %d sections; 1 to %d can be read", h.sections, maxSections)
	case h.splats == 0:
		return nil, input.Errorf(name, "contains no Gaussians").Advise("Export the capture again")
	case !(h.high > h.low) || math.IsInf(float64(h.high-h.low), 0):
		return nil, input.Damaged(name, "its harmonics have no range")
	case headerSize+int64(h.sections)*sectionSize > file.Size():
		return nil, input.CutOff(name, "it ends within the headers of its sections")
	}
	return h, nil
}

type section struct {
	// splats is the number of Gaussians, and room is the number for which the section has space. A
	// file that was saved while it was loading has fewer Gaussians than space.
	splats, room int64
	degree       int
	// A bucket contains Gaussians that are close together; their positions are relative to its
	// centre. A full bucket contains bucketSize Gaussians. The file states the numbers of the
	// partial buckets, which follow.
	bucketSize, buckets, full, partial int64
	// bucketBytes is the size of a bucket's centre.
	bucketBytes int64
	// half is half the side of a bucket in metres, and zero the code of its centre.
	half, zero float32
}

// parseSection returns the fields of a section's header. The offsets are from parseSectionHeaders
// in SplatBuffer.js.
func parseSection(b []byte, level int) section {
	u := func(at int) int64 { return int64(binary.LittleEndian.Uint32(b[at:])) }
	s := section{
		splats: u(0), room: u(4), degree: int(binary.LittleEndian.Uint16(b[40:])),
		bucketSize: u(8), buckets: u(12), full: u(32), partial: u(36),
		bucketBytes: int64(binary.LittleEndian.Uint16(b[20:])),
		half:        float32At(b[16:]) / 2, zero: float32(u(24)),
	}
	if s.zero == 0 {
		s.zero = defaultZero
	}
	if level == 0 { // positions are not compressed
		s.bucketSize, s.half = 0, 0
	}
	return s
}

// defaultZero is the code of a bucket's centre in files that do not state it.
const defaultZero = 32767

// check refuses sections that cannot be read, before memory is allocated for them. The numbers
// of a section have 32 bits, so products of them and of sizes do not overflow.
func (s *section) check(level int, name string) error {
	switch {
	case s.splats > s.room:
		return input.Damaged(name, "a section has %d Gaussians, but room for %d", s.splats, s.room)
	case s.degree > maxDegree:
		return input.Errorf(name, "has harmonics of degree %d; at most %d can be read", s.degree, maxDegree).
			Advise("Export it with fewer harmonics")
	case s.buckets > maxBuckets || s.partial > s.buckets || s.full > s.buckets-s.partial:
		return input.Damaged(name, "a section has %d full and %d other buckets, of %d", s.full, s.partial, s.buckets)
	case level > 0 && s.buckets > 0 && s.bucketBytes != centreSize:
		return input.Damaged(name, "its buckets have %d bytes instead of %d", s.bucketBytes, centreSize)
	case math.IsNaN(float64(s.half)) || math.IsInf(float64(s.half), 0):
		return input.Damaged(name, "a section has buckets without a size")
	}
	return nil
}

// size returns the size of the section's data, and the size of the part before the
// Gaussians.
func (s *section) size(level int) (all, before int64) {
	before = 4*s.partial + s.bucketBytes*s.buckets
	return before + s.room*int64(layouts[level].stride(s.degree)), before
}

func float32At(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// coefficients returns the number of harmonics of all channels.
func coefficients(degree int) int { return 3 * gaussian.Coefficients(degree) }
