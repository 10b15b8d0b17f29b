package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"portico/splat/input"
)

// Signatures that records begin with (PKWARE APPNOTE 4.3).
const (
	localSignature   = 0x04034b50
	headerSignature  = 0x02014b50
	endSignature     = 0x06054b50
	end64Signature   = 0x06064b50
	locatorSignature = 0x07064b50
)

// Sizes of the fixed part of each record, in bytes.
const (
	localSize   = 30
	headerSize  = 46
	endSize     = 22
	end64Size   = 56
	locatorSize = 20
	maxComment  = math.MaxUint16 // behind the end record
)

// A field that is saturated says that the value is in a zip64 record.
const (
	saturated16 = math.MaxUint16
	saturated32 = math.MaxUint32
)

// What users are told where a directory cannot be found.
const (
	noDirectory          = "its directory is missing; the file may be cut off, or is no zip"
	directoryOutOfBounds = "its directory lies outside of the file"
)

// directory is where the central directory lies, by the record at the end of
// the archive.
type directory struct {
	entries uint64 // as declared; each has at least headerSize bytes
	offset  int64  // of the first header
	size    int64  // of all headers, in bytes
}

// end is the end record as read, plain or zip64, before it is trusted.
type end struct {
	// disk and firstDisk are 0 and entriesHere is entries unless the archive is
	// one part of several.
	disk, firstDisk          uint32
	entriesHere, entries     uint64
	directorySize, directory uint64 // directory is its offset
}

// findDirectory reads the end of the archive.
func findDirectory(w *window) (directory, error) {
	tail, start, err := readTail(w)
	if err != nil {
		return directory{}, err
	}
	at := findEnd(tail)
	if at < 0 {
		return directory{}, damaged(noDirectory)
	}
	e, limit := parseEnd(tail[at:]), start+int64(at)
	if e.needsZip64() {
		if e, limit, err = readEnd64(w, e, limit); err != nil {
			return directory{}, err
		}
	}
	return e.check(limit)
}

// readTail returns the bytes in which the end record must begin, and their
// offset. It moves the window so that a directory of usual size is in memory
// with it.
func readTail(w *window) ([]byte, int64, error) {
	if err := w.move(max(0, w.size-windowSize)); err != nil {
		return nil, 0, err
	}
	start := max(0, w.size-endSize-maxComment)
	tail := make([]byte, w.size-start)
	if _, err := w.ReadAt(tail, start); err != nil {
		return nil, 0, err
	}
	return tail, start, nil
}

// findEnd returns the index of the last end record of which the comment fits
// into the file, or -1.
func findEnd(tail []byte) int {
	signature := binary.LittleEndian.AppendUint32(nil, endSignature)
	for at := bytes.LastIndex(tail, signature); at >= 0; at = bytes.LastIndex(tail[:at], signature) {
		rest := tail[at:]
		if len(rest) >= endSize && endSize+int(binary.LittleEndian.Uint16(rest[20:])) <= len(rest) {
			return at
		}
	}
	return -1
}

// parseEnd reads a plain end record, which must be whole.
func parseEnd(b []byte) end {
	le := binary.LittleEndian
	return end{
		disk:          uint32(le.Uint16(b[4:])),
		firstDisk:     uint32(le.Uint16(b[6:])),
		entriesHere:   uint64(le.Uint16(b[8:])),
		entries:       uint64(le.Uint16(b[10:])),
		directorySize: uint64(le.Uint32(b[12:])),
		directory:     uint64(le.Uint32(b[16:])),
	}
}

// needsZip64 tells whether the plain record has no room for a value.
func (e end) needsZip64() bool {
	return e.entries == saturated16 || e.directorySize == saturated32 || e.directory == saturated32
}

// readEnd64 follows the locator before the end record at offset at. Without
// one, the plain record is what counts: 65,535 entries are legal without zip64.
func readEnd64(w *window, plain end, at int64) (end, int64, error) {
	locator, ok, err := readRecord(w, at-locatorSize, locatorSize, locatorSignature)
	if err != nil || !ok {
		return plain, at, err
	}
	le := binary.LittleEndian
	offset := le.Uint64(locator[8:])
	if offset > uint64(at) {
		return end{}, 0, damaged(directoryOutOfBounds)
	}
	b, ok, err := readRecord(w, int64(offset), end64Size, end64Signature)
	if err != nil {
		return end{}, 0, err
	}
	if !ok {
		return end{}, 0, damaged("its zip64 directory record is missing")
	}
	return end{
		disk:          le.Uint32(b[16:]),
		firstDisk:     le.Uint32(b[20:]),
		entriesHere:   le.Uint64(b[24:]),
		entries:       le.Uint64(b[32:]),
		directorySize: le.Uint64(b[40:]),
		directory:     le.Uint64(b[48:]),
	}, int64(offset), nil
}

// readRecord reads a record of fixed size; it reports false where the file has
// no such record at off.
func readRecord(w *window, off int64, size int, signature uint32) ([]byte, bool, error) {
	if off < 0 || off > w.size-int64(size) {
		return nil, false, nil
	}
	b := make([]byte, size)
	if _, err := w.ReadAt(b, off); err != nil && err != io.EOF {
		return nil, false, fmt.Errorf("read directory record: %w", err)
	}
	return b, binary.LittleEndian.Uint32(b) == signature, nil
}

// check turns the record into the directory's place, which must end before the
// record at limit and be large enough for the entries it claims.
func (e end) check(limit int64) (directory, error) {
	if e.disk != 0 || e.firstDisk != 0 || e.entriesHere != e.entries {
		return directory{}, &input.Error{Message: "The archive is one part of a split archive"}
	}
	if e.directory > uint64(limit) || e.directorySize > uint64(limit)-e.directory {
		return directory{}, damaged(directoryOutOfBounds)
	}
	if e.entries > e.directorySize/headerSize {
		return directory{}, damaged("its directory is shorter than its entries")
	}
	return directory{
		entries: e.entries,
		offset:  int64(e.directory),
		size:    int64(e.directorySize),
	}, nil
}
