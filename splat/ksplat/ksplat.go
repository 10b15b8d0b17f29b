// Package ksplat reads .ksplat files of the compression levels 0 to 2. Package splat uses it.
//
// The format is documented by its code: mkkellogg/GaussianSplats3D, src/loaders/SplatBuffer.js.
// A file is a header of 4096 bytes, a header of 1024 bytes for each section, and the sections,
// each with buckets and records; all numbers are little endian. Axes and units are as in
// PLY, y down and metres. Scales are linear, colours and opacities are bytes, and harmonics
// have at most degree 3. At level 0 numbers are float32. Above it scales and rotations are
// float16, and positions are 16-bit offsets from the centre of a bucket; at level 2 harmonics
// are bytes.
//
// The fields of the header of 4096 bytes that are read:
//
//	 0  u8   major version, 0
//	 1  u8   minor version
//	 4  u32  number of section headers
//	16  u32  number of Gaussians
//	20  u16  compression level
//	36  f32  minimum of harmonics with one byte; 0 means -1.5
//	40  f32  maximum of harmonics with one byte; 0 means 1.5
//
// The fields of a section's header of 1024 bytes that are read:
//
//	 0  u32  number of Gaussians
//	 4  u32  number of Gaussians for which the section has space
//	 8  u32  Gaussians of a full bucket
//	12  u32  number of buckets
//	16  f32  side of a bucket in metres
//	20  u16  size of a bucket, 12: the centre, three float32
//	24  u32  code of a bucket's centre; 0 means 32767
//	32  u32  number of full buckets
//	36  u32  number of partial buckets
//	40  u16  degree of the harmonics
//
// A section's data is the number of Gaussians of each partial bucket (u32), the centres of all
// buckets, and the records. A Gaussian does not name its bucket: the first Gaussians fill the
// full buckets, the next ones fill the partial buckets. A record is at each level:
//
//	level      position   scale      rotation   colour   a harmonic
//	0          0  f32 x3  12 f32 x3  24 f32 x4  40 u8x4  44 f32
//	1          0  u16 x3  6  f16 x3  12 f16 x4  20 u8x4  24 f16
//	2          0  u16 x3  6  f16 x3  12 f16 x4  20 u8x4  24 u8
//
// The rotation is w, x, y, z. The harmonics are ordered by degree, then by channel.
//
// Only the centres of the buckets are in memory, a few bytes for each hundred Gaussians. The
// limits are 4096 sections and 2^22 buckets.
package ksplat

import (
	"fmt"

	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/records"
)

// File is an open .ksplat file, as a gaussian.Source. Close it after use.
type File struct {
	*records.Source

	// Version is the version of the format, such as "0.1".
	Version string
}

// Open reads the headers and the buckets of a file. A fault in the file is an *input.Error
// about name. The source closes the file; after an error the caller must close it.
//
// A section without room has no data and is skipped. The degree of the file is the highest of its
// sections.
func Open(file folder.File, name string) (*File, error) {
	h, err := readHeader(file, name)
	if err != nil {
		return nil, err
	}
	headers := make([]byte, h.sections*sectionSize)
	if err := folder.ReadFull(file, headers, headerSize); err != nil {
		return nil, err
	}
	var sections []records.Section
	at, degree := headerSize+int64(len(headers)), 0
	var total, buckets int64
	for ; len(headers) > 0; headers = headers[sectionSize:] {
		s := parseSection(headers, h.level)
		if s.room == 0 {
			continue
		}
		if err := s.check(h.level, name); err != nil {
			return nil, err
		}
		// Sections have no offsets and follow each other, so after a section that does not fit no
		// other can be read.
		size, before := s.size(h.level)
		if size > file.Size()-at {
			return nil, input.CutOff(name, "a section has %d bytes, of which %d are left", size, file.Size()-at)
		}
		if buckets += s.buckets; buckets > maxBuckets {
			return nil, input.Errorf(name, "has more than %d buckets", maxBuckets).Advise("Export it again")
		}
		d, err := newDecoder(file, h, s, at, name)
		if err != nil {
			return nil, err
		}
		table := records.Table{File: file, Offset: at + before, Stride: d.stride(s.degree), Count: int(s.splats)}
		sections = append(sections, records.Section{Table: table, Decode: d.decode})
		at += size
		total += s.splats
		degree = max(degree, s.degree)
	}
	if total != h.splats {
		return nil, input.Damaged(name, "its sections have %d Gaussians, but its header claims %d", total, h.splats)
	}
	return &File{records.NewSource(file, name, degree, sections), fmt.Sprintf("0.%d", h.minor)}, nil
}
