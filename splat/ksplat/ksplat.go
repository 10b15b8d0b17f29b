// Package ksplat reads .ksplat files of the compression levels 0 to 2, in the axes of
// PLY. It keeps only the centres of the buckets in memory, a few bytes for each hundred
// Gaussians.
//
// Format: mkkellogg/GaussianSplats3D, src/loaders/SplatBuffer.js. A header of 4096 bytes
// and headers of 1024 bytes for each section are followed by the sections, each with its
// buckets and its records. Positions above level 0 are relative to a bucket's centre.
package ksplat

import (
	"fmt"

	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/records"
)

// File is an open .ksplat file.
type File struct {
	*records.Source

	// Version is the version of the format, such as "0.1".
	Version string
}

// Open reads the headers and the buckets of a file. A faulty file is an *input.Error about
// name. The source closes the file; after an error the caller does.
func Open(file folder.File, name string) (*File, error) {
	h, err := readHeader(file, name)
	if err != nil {
		return nil, err
	}
	headers := make([]byte, h.sections*sectionSize)
	if err := records.ReadAt(file, headers, headerSize); err != nil {
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
		// Sections follow each other without offsets of their own, so one that does not
		// fit makes all after it unreadable.
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
