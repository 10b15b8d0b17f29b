package archive

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Compression methods that are read (APPNOTE 4.4.5).
const (
	methodStore   = 0
	methodDeflate = 8
)

// Flags that mean encryption: of the data, strong, and of the directory.
const flagsEncrypted = 1<<0 | 1<<6 | 1<<13

// Unix file types, in the upper half of the external attributes.
const (
	modeType    = 0o170000
	modeRegular = 0o100000
	modeFolder  = 0o040000
	modeLink    = 0o120000
)

// zip64Tag marks the extra field that carries 64-bit sizes.
const zip64Tag = 1

// entry is a file of the archive, as the central directory has it.
type entry struct {
	name   string // clean; "" for a folder or a file that is ignored
	raw    string // as written, for messages and the local header
	flags  uint16
	method uint16
	mode   uint32 // Unix type and permissions; 0 from other systems
	crc    uint32 // of the unpacked content
	packed int64  // bytes in the archive
	size   int64  // bytes unpacked
	offset int64  // of the local header
	end    int64  // where the next entry begins; the data may not reach further
}

// readDirectory reads the entries one by one; its memory is bounded by the
// limits that the declared directory has passed.
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
	// What is left over would be entries that other readers see and we do not.
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, orDamaged(err, "its directory has more entries than it declares")
	}
	return entries, nil
}

// readHeader reads one header of the central directory.
func readHeader(r io.Reader) (*entry, error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, orDamaged(err, "its directory is cut off")
	}
	le := binary.LittleEndian
	if le.Uint32(b[:]) != headerSignature {
		return nil, damaged("its directory cannot be read")
	}
	nameSize, extraSize := int(le.Uint16(b[28:])), int(le.Uint16(b[30:]))
	rest := make([]byte, nameSize+extraSize+int(le.Uint16(b[32:])))
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, orDamaged(err, "its directory is cut off")
	}
	e := &entry{
		raw:    string(rest[:nameSize]),
		flags:  le.Uint16(b[8:]),
		method: le.Uint16(b[10:]),
		mode:   le.Uint32(b[38:]) >> 16,
		crc:    le.Uint32(b[16:]),
	}
	return e, e.setSizes(b[:], rest[nameSize:nameSize+extraSize])
}

// orDamaged blames the archive for an early or missing end, and us for an error
// of the reader.
func orDamaged(err error, why string) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(why)
	}
	return fmt.Errorf("read directory: %w", err)
}

// setSizes takes the sizes and the offset from the header, each from the zip64
// field where the header has no room for it (APPNOTE 4.5.3).
func (e *entry) setSizes(header, extra []byte) error {
	le := binary.LittleEndian
	size, packed, offset := le.Uint32(header[24:]), le.Uint32(header[20:]), le.Uint32(header[42:])
	disk := le.Uint16(header[34:])
	wide := zip64Field(extra)
	for _, field := range []struct {
		narrow uint32
		to     *int64
	}{{size, &e.size}, {packed, &e.packed}, {offset, &e.offset}} {
		*field.to = int64(field.narrow)
		if field.narrow != saturated32 {
			continue
		}
		if len(wide) < 8 || le.Uint64(wide) > math.MaxInt64 {
			return entryError(e.raw, "its zip64 sizes are damaged")
		}
		*field.to, wide = int64(le.Uint64(wide)), wide[8:]
	}
	if disk != 0 && disk != saturated16 {
		return entryError(e.raw, "lies in another part of a split archive")
	}
	return nil
}

// zip64Field returns the body of the zip64 extra field, or nil.
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
