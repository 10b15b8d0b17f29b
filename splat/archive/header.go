package archive

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"portico/splat/input"
)

// Compression methods (APPNOTE 4.4.5). Encrypted WinZip entries have methodAES.
const (
	methodStore   = 0
	methodDeflate = 8
	methodAES     = 99
)

// flagsEncrypted are the flags of encrypted data, of strong encryption and of an
// encrypted directory (APPNOTE 4.4.4).
const flagsEncrypted = 1<<0 | 1<<6 | 1<<13

// Unix file types, in the upper half of the external attributes.
const (
	modeType    = 0o170000
	modeRegular = 0o100000
	modeFolder  = 0o040000
	modeLink    = 0o120000
)

// zip64Tag marks the extra field with 64-bit sizes (APPNOTE 4.5.3).
const zip64Tag = 1

// entry is one file of the archive as the central directory describes it.
type entry struct {
	name   string // clean; "" for a folder or an ignored file
	raw    string // as written, in UTF-8, for messages
	stored string // as written, in the local header too
	flags  uint16
	method uint16
	mode   uint32 // Unix type and permissions; 0 from other systems
	crc    uint32 // of the unpacked content
	packed int64  // compressed size in bytes
	size   int64  // unpacked size in bytes
	offset int64  // of the local header
	end    int64  // start of the next entry, which the data must not reach
	// fault is a fault of the name, or nil. It counts only if the file is needed: an archive has
	// other files beside a capture, which are discarded.
	fault error
}

// readDirectory reads all entries. The caller has limited the memory that they take with
// Limits.checkDirectory.
func readDirectory(w *window, d directory) ([]*entry, error) {
	r := bufio.NewReader(io.NewSectionReader(w, d.offset, d.size))
	entries := make([]*entry, 0, d.entries)
	for range d.entries {
		e, err := readHeader(r)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	// More bytes would be entries that other readers see and this one does not.
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, damagedIfCutOff(err, "its directory has more entries than it declares")
	}
	return entries, nil
}

// readHeader reads one header of the central directory.
//
// The layout of APPNOTE 4.3.12, whose numbers are little-endian:
//
//	 0  u32  signature
//	 4  u16  version that made it, and its system
//	 6  u16  version that is needed
//	 8  u16  flags
//	10  u16  method of compression
//	12  u16  time, u16 date
//	16  u32  CRC-32 of the unpacked content
//	20  u32  packed size in bytes, or saturated
//	24  u32  unpacked size in bytes, or saturated
//	28  u16  length of the name, which follows
//	30  u16  length of the extra field, which follows the name
//	32  u16  length of the comment, which follows the extra field
//	34  u16  number of the disk with the data
//	36  u16  internal attributes
//	38  u32  external attributes: the Unix mode in the upper half
//	42  u32  offset of the local header, or saturated
func readHeader(r io.Reader) (*entry, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, damagedIfCutOff(err, "its directory is cut off")
	}
	le := binary.LittleEndian
	if le.Uint32(b[:]) != headerSignature {
		return nil, damaged("its directory cannot be read")
	}
	nameSize, extraSize := int(le.Uint16(b[28:])), int(le.Uint16(b[30:]))
	rest := make([]byte, nameSize+extraSize+int(le.Uint16(b[32:])))
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, damagedIfCutOff(err, "its directory is cut off")
	}
	stored, flags := string(rest[:nameSize]), le.Uint16(b[8:])
	e := &entry{
		raw:    decodeName(stored, flags),
		stored: stored,
		flags:  flags,
		method: le.Uint16(b[10:]),
		mode:   le.Uint32(b[38:]) >> 16,
		crc:    le.Uint32(b[16:]),
	}
	return e, e.setSizes(b[:], rest[nameSize:nameSize+extraSize])
}

// damagedIfCutOff returns a fault of the archive for an early or missing end, and
// an internal error for any other error of the reader.
func damagedIfCutOff(err error, why string) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(why)
	}
	return fmt.Errorf("read directory: %w", err)
}

// setSizes reads the sizes and the offset from the header. A value that is saturated there is
// in the zip64 field, which contains only such values, in this order (APPNOTE 4.5.3).
func (e *entry) setSizes(header, extra []byte) error {
	le := binary.LittleEndian
	size, packed, offset := le.Uint32(header[24:]), le.Uint32(header[20:]), le.Uint32(header[42:])
	disk := le.Uint16(header[34:])
	values := zip64Field(extra)
	for _, field := range []struct {
		narrow uint32
		to     *int64
	}{{size, &e.size}, {packed, &e.packed}, {offset, &e.offset}} {
		*field.to = int64(field.narrow)
		if field.narrow != saturated32 {
			continue
		}
		if len(values) < 8 || le.Uint64(values) > math.MaxInt64 {
			return input.Damaged(e.raw, "its zip64 sizes cannot be read")
		}
		*field.to, values = int64(le.Uint64(values)), values[8:]
	}
	if disk != 0 && disk != saturated16 {
		return input.Errorf(e.raw, "is in another part of a split archive").Advise("Create one zip that is not split and upload it")
	}
	return nil
}

// zip64Field returns the body of the zip64 extra field, or nil.
//
// The extra field is a list of fields, each a u16 tag, a u16 size and that many bytes (APPNOTE
// 4.5.1). A list that is damaged counts as a list without the field: setSizes refuses the entry
// then, if it needs the field.
func zip64Field(extra []byte) []byte {
	le := binary.LittleEndian
	for len(extra) >= 4 {
		tag, size := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			return nil
		}
		if tag == zip64Tag {
			return extra[:size]
		}
		extra = extra[size:]
	}
	return nil
}
