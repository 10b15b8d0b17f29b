package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"portico/splat/input"
)

// Signatures at the start of each record (APPNOTE 4.3), as little-endian numbers: "PK", and then
// two bytes for the kind of the record.
const (
	localSignature   = 0x04034b50
	headerSignature  = 0x02014b50
	endSignature     = 0x06054b50
	end64Signature   = 0x06064b50
	locatorSignature = 0x07064b50
)

// Sizes of the fixed part of each record, in bytes.
//
// An archive is the entries, each with a local header and its data, then the central directory,
// then the end record. The end record is found from the end of the file, because its comment may
// have any length:
//
//	local header, name, extra, data   one for each entry (see packedData)
//	header, name, extra, comment      one for each entry (see readHeader)
//	zip64 end record                  only if a value does not fit into the end record
//	zip64 locator                     only with a zip64 end record
//	end record, comment
const (
	localSize   = 30
	headerSize  = 46
	endSize     = 22
	end64Size   = 56
	locatorSize = 20
	maxComment  = math.MaxUint16 // after the end record
)

// A saturated field means that the value is in a zip64 record (APPNOTE 4.4.1.4).
const (
	saturated16 = math.MaxUint16
	saturated32 = math.MaxUint32
)

// The reasons why a directory cannot be found, as texts for the user.
const (
	noDirectory          = "its directory is missing, so the file is cut off or not a zip"
	directoryOutOfBounds = "its directory is outside the file"
)

// directory is the position of the central directory, as the end record states it.
type directory struct {
	entries uint64 // as declared; each has at least headerSize bytes
	offset  int64  // of the first header
	size    int64  // of all headers, in bytes
}

// endRecord is the end of central directory record, plain or zip64, before its
// values are checked (APPNOTE 4.3.14 and 4.3.16).
type endRecord struct {
	// Unless the archive is one part of several, disk and firstDisk are 0 and
	// entriesHere equals entries.
	disk, firstDisk          uint32
	entriesHere, entries     uint64
	directorySize, directory uint64 // directory is its offset
}

// findDirectory reads the end record and returns the directory's position.
func findDirectory(w *window) (directory, error) {
	tail, start, err := readTail(w)
	if err != nil {
		return directory{}, err
	}
	at := findEnd(tail)
	switch {
	case at < 0 && start == 0 && input.IsPointer(tail):
		return directory{}, input.Pointer("")
	case at < 0:
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

// readTail returns the bytes in which the end record must start, and their offset. It loads
// the window so that it also contains a directory of usual size: with an object store, this
// saves a request.
func readTail(w *window) ([]byte, int64, error) {
	if err := w.load(max(0, w.size-windowSize)); err != nil {
		return nil, 0, err
	}
	start := max(0, w.size-endSize-maxComment)
	tail := make([]byte, w.size-start)
	if _, err := w.ReadAt(tail, start); err != nil {
		return nil, 0, err
	}
	return tail, start, nil
}

// findEnd returns the index of the last end record whose comment fits into the file, or -1. The
// result has the whole fixed part of a record.
func findEnd(tail []byte) int {
	signature := binary.LittleEndian.AppendUint32(nil, endSignature)
	// The search starts at the end. Both the comment and the data before the record may contain
	// the signature by chance.
	for at := bytes.LastIndex(tail, signature); at >= 0; at = bytes.LastIndex(tail[:at], signature) {
		rest := tail[at:]
		if len(rest) >= endSize && endSize+int(binary.LittleEndian.Uint16(rest[20:])) <= len(rest) {
			return at
		}
	}
	return -1
}

// parseEnd reads a plain end record, which must be complete.
//
// The layout of APPNOTE 4.3.16, whose numbers are little-endian:
//
//	 0  u32  signature
//	 4  u16  number of this disk
//	 6  u16  number of the disk with the start of the directory
//	 8  u16  entries of the directory on this disk
//	10  u16  entries of the directory
//	12  u32  size of the directory in bytes
//	16  u32  offset of the directory
//	20  u16  length of the comment, which follows
func parseEnd(b []byte) endRecord {
	le := binary.LittleEndian
	return endRecord{
		disk:          uint32(le.Uint16(b[4:])),
		firstDisk:     uint32(le.Uint16(b[6:])),
		entriesHere:   uint64(le.Uint16(b[8:])),
		entries:       uint64(le.Uint16(b[10:])),
		directorySize: uint64(le.Uint32(b[12:])),
		directory:     uint64(le.Uint32(b[16:])),
	}
}

// needsZip64 reports whether a value does not fit into the plain record.
func (e endRecord) needsZip64() bool {
	return e.entries == saturated16 || e.directorySize == saturated32 || e.directory == saturated32
}

// readEnd64 reads the zip64 record to which the locator before the end record points. at is
// the offset of the end record. It returns the record and its offset. Without a locator it
// returns the plain record: an archive of exactly 65,535 entries needs no zip64.
//
// The locator (APPNOTE 4.3.15) and the zip64 end record (4.3.14), whose numbers are little-endian:
//
//	 0  u32  signature               0  u32  signature
//	 4  u32  disk of the record      4  u64  size of the rest of the record
//	 8  u64  offset of the record   12  u16  version that made it
//	16  u32  number of disks        14  u16  version that is needed
//	                                16  u32  number of this disk
//	                                20  u32  disk with the start of the directory
//	                                24  u64  entries on this disk
//	                                32  u64  entries
//	                                40  u64  size of the directory in bytes
//	                                48  u64  offset of the directory
func readEnd64(w *window, plain endRecord, at int64) (endRecord, int64, error) {
	locator, ok, err := readRecord(w, at-locatorSize, locatorSize, locatorSignature)
	if err != nil || !ok {
		return plain, at, err
	}
	le := binary.LittleEndian
	offset := le.Uint64(locator[8:])
	if offset > uint64(at) {
		return endRecord{}, 0, damaged(directoryOutOfBounds)
	}
	b, ok, err := readRecord(w, int64(offset), end64Size, end64Signature)
	if err != nil {
		return endRecord{}, 0, err
	}
	if !ok {
		return endRecord{}, 0, damaged("its zip64 directory record is missing")
	}
	return endRecord{
		disk:          le.Uint32(b[16:]),
		firstDisk:     le.Uint32(b[20:]),
		entriesHere:   le.Uint64(b[24:]),
		entries:       le.Uint64(b[32:]),
		directorySize: le.Uint64(b[40:]),
		directory:     le.Uint64(b[48:]),
	}, int64(offset), nil
}

// readRecord reads a record of fixed size. It reports whether the file has a record with the
// signature at off.
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

// check returns the directory's position. The directory must end before limit, the offset of
// the record. It must be large enough for the number of entries that it declares, because
// readDirectory reserves memory for this number.
func (e endRecord) check(limit int64) (directory, error) {
	if e.disk != 0 || e.firstDisk != 0 || e.entriesHere != e.entries {
		return directory{}, (&input.Error{Message: "The archive is one part of a split archive"}).
			Advise("Create one zip that is not split and upload it")
	}
	if e.directory > uint64(limit) || e.directorySize > uint64(limit)-e.directory {
		return directory{}, damaged(directoryOutOfBounds)
	}
	// It divides, because the product may overflow.
	if e.entries > e.directorySize/headerSize {
		return directory{}, damaged("its directory is shorter than its entries")
	}
	return directory{
		entries: e.entries,
		offset:  int64(e.directory),
		size:    int64(e.directorySize),
	}, nil
}
