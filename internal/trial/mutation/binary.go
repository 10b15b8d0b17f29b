package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/gzip"

	"portico/splat/splattest"
)

// changeGzipped changes the content of a gzip file and compresses it again, so that the
// checksum does not reveal the change.
func (m *mutator) changeGzipped(b []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b // changed before
	}
	raw, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return b
	}
	return gzipOf(m.mutateContent("", raw))
}

// changeImageSize changes the width and height in the header of an image.
//
// Where the formats have their size, in bytes from the start:
//
//	WebP, VP8L    21    14 bits of the width minus 1, then 14 of the height minus 1
//	PNG           16    width and height, 4 bytes each, big endian; their checksum is at 29
//	GIF           6     width and height, 2 bytes each, little endian
//	JPEG          5 from the marker FF C0 on: height and width, 2 bytes each, big endian
func (m *mutator) changeImageSize(b []byte) []byte {
	// The maximum is 16384 for VP8L, 65535 for JPEG and GIF, and 2^31-1 for PNG.
	sizes := []int{0, 1, 2, 255, 16383, 16384, 65535, 1 << 24, 1<<31 - 1}
	width, height := sizes[m.IntN(len(sizes))], sizes[m.IntN(len(sizes))]
	m.note("an image of %d x %d", width, height)
	be, le := binary.BigEndian, binary.LittleEndian
	switch {
	case bytes.HasPrefix(b, []byte("RIFF")) && len(b) > 25:
		// VP8L: 14 bits each of the size minus 1, after the signature 0x2f.
		le.PutUint32(b[21:], le.Uint32(b[21:])&^(1<<28-1)|uint32(width-1)&0x3fff|uint32(height-1)&0x3fff<<14)
	case bytes.HasPrefix(b, []byte("\x89PNG")) && len(b) > 33:
		// The header is a chunk with its own checksum.
		be.PutUint32(b[16:], uint32(width))
		be.PutUint32(b[20:], uint32(height))
		be.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	case bytes.HasPrefix(b, []byte("GIF8")) && len(b) > 10:
		le.PutUint16(b[6:], uint16(width))
		le.PutUint16(b[8:], uint16(height))
	default:
		// JPEG: the frame header.
		if at := bytes.Index(b, []byte{0xff, 0xc0}); at >= 0 && at+9 < len(b) {
			be.PutUint16(b[at+5:], uint16(height))
			be.PutUint16(b[at+7:], uint16(width))
		}
	}
	return b
}

// changeZipEntry changes a file of a zip and writes the zip again with correct checksums.
func (m *mutator) changeZipEntry(b []byte) []byte {
	return m.repack(b, func(entries []splattest.Entry) []splattest.Entry {
		e := &entries[m.IntN(len(entries))]
		m.note("%s:", e.Name)
		e.Body = m.mutateContent(e.Name, bytes.Clone(e.Body))
		return entries
	})
}

// changeZipHeader changes the central or local header of a zip's entry, or both.
//
// A zip has every fact of an entry twice, and readers differ in which they believe:
//
//	the name twice       which of two entries is the file?
//	the local one        readers that start at the central directory do not see it
//	the central one      readers that start at the front do not see it
//	both                 the header is consistent, and wrong
func (m *mutator) changeZipHeader(b []byte) []byte {
	return m.repack(b, func(entries []splattest.Entry) []splattest.Entry {
		i := m.IntN(len(entries))
		e := &entries[i]
		lie := m.randomHeaderChange(e.Name)
		switch m.IntN(4) {
		case 0:
			m.note("%s twice", e.Name)
			return append(entries, *e)
		case 1:
			e.ChangeLocal = lie
		case 2:
			e.ChangeCentral, e.Zip64 = lie, m.IntN(2) == 0
		default:
			e.ChangeCentral, e.ChangeLocal = lie, lie
		}
		return entries
	})
}

// randomHeaderChange returns a function that changes one field of an entry's header: a
// size, the offset, the method, the checksum, the flags or the name.
func (m *mutator) randomHeaderChange(name string) func(*splattest.Header) {
	// Around the widths of the header's fields, and of sums that could overflow.
	lies := []uint64{0, 1, 1 << 16, 1 << 30, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 1}
	v, field := lies[m.IntN(len(lies))], m.IntN(7)
	names := []string{"", "/", "../" + name, "/" + name, "a\\" + name, "x\x00", "export/", "Export/" + name, "data.bin"}
	other := names[m.IntN(len(names))]
	m.note("%s: header field %d set to %#x or %q", name, field, v, other)
	return func(h *splattest.Header) {
		switch field {
		case 0:
			h.Size = v
		case 1:
			h.CompressedSize = v
		case 2:
			h.Offset += v
		case 3:
			h.Method = uint16(v) ^ h.Method
		case 4:
			h.CRC ^= uint32(v) | 1
		case 5:
			h.Flags = 1 << (v % 16)
		default:
			h.Name = other
		}
	}
}

// repack changes the entries of a zip. It returns a zip that cannot be read unchanged.
//
// The checksums of the new zip are right for the new contents, so that a reader gets to see them.
func (m *mutator) repack(b []byte, change func([]splattest.Entry) []splattest.Entry) []byte {
	files, err := unzip(b)
	if err != nil || len(files) == 0 {
		return b
	}
	// Keep the compression method: uploads are deflated, bundles are stored. Another one
	// would be a change that the report does not name.
	method := binary.LittleEndian.Uint16(b[8:])
	var entries []splattest.Entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, splattest.Entry{Name: name, Body: files[name], Method: method})
	}
	return splattest.Zip(change(entries)...)
}
