package splattest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
)

// Compression methods.
const (
	Store   = 0
	Deflate = 8
)

// Entry is a file of a zip that Zip creates.
type Entry struct {
	Name string
	Body []byte
	// Method is Store or Deflate. With any other method, the body is stored
	// uncompressed under that number.
	Method uint16
	// Mode is the Unix mode with its type, for example 0o120777 for a symbolic link.
	// Zero means none.
	Mode uint32
	// ChangeCentral changes the entry's header in the central directory, ChangeLocal
	// its local header. Nil keeps the correct header.
	ChangeCentral, ChangeLocal func(*Header)
	// Zip64 writes the sizes and the offset in the zip64 extra field.
	Zip64 bool
}

// Header contains the fields of an entry's central and local headers.
type Header struct {
	Name string
	// Flags say at first that the name is UTF-8.
	Flags, Method                uint16
	CRC                          uint32
	CompressedSize, Size, Offset uint64
	Extra                        []byte
}

// Zip returns an archive of these entries. It checks nothing, because most callers want an
// invalid archive.
func Zip(entries ...Entry) []byte {
	var data, directory []byte
	for _, e := range entries {
		packed := e.compressedBody()
		h := Header{
			Name: e.Name, Flags: 1 << 11, Method: e.Method, CRC: crc32.ChecksumIEEE(e.Body),
			CompressedSize: uint64(len(packed)), Size: uint64(len(e.Body)), Offset: uint64(len(data)),
		}
		data = append(append(data, changeHeader(h, e.ChangeLocal).localHeader()...), packed...)
		directory = append(directory, changeHeader(h, e.ChangeCentral).centralHeader(e)...)
	}
	end := End(len(entries), len(directory), len(data))
	return append(append(data, directory...), end...)
}

// End returns the end of central directory record (APPNOTE 4.3.16), without a comment. It
// accepts any numbers, so that they can contradict the archive.
func End(entries, directorySize, directoryOffset int) []byte {
	le := binary.LittleEndian
	b := append([]byte("PK\x05\x06"), 0, 0, 0, 0)
	b = le.AppendUint16(b, uint16(entries))
	b = le.AppendUint16(b, uint16(entries))
	b = le.AppendUint32(b, uint32(directorySize))
	b = le.AppendUint32(b, uint32(directoryOffset))
	return append(b, 0, 0)
}

// End64 returns the two records that precede End in a zip64 archive: the zip64 end of
// central directory record at offset at, and its locator.
//
// The first record has 56 bytes, of which its size field counts all but the first 12; the locator
// has 20.
func End64(entries, directorySize, directoryOffset, at uint64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint64([]byte("PK\x06\x06"), 44)
	b = append(b, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, v := range []uint64{entries, entries, directorySize, directoryOffset} {
		b = le.AppendUint64(b, v)
	}
	b = append(b, "PK\x06\x07\x00\x00\x00\x00"...)
	return append(le.AppendUint64(b, at), 1, 0, 0, 0)
}

// changeHeader returns the header after calling f, which may be nil.
func changeHeader(h Header, f func(*Header)) Header {
	if f != nil {
		f(&h)
	}
	return h
}

// compressedBody returns the body compressed by the entry's method.
func (e Entry) compressedBody() []byte {
	if e.Method != Deflate {
		return e.Body
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	// Writes to a bytes.Buffer do not fail.
	_, _ = w.Write(e.Body)
	_ = w.Close()
	return b.Bytes()
}

// localHeader returns the local header, which precedes the data.
func (h Header) localHeader() []byte {
	b := append([]byte("PK\x03\x04"), 20, 0)
	b = h.appendCommon(b, uint32(h.CompressedSize), uint32(h.Size))
	return append(append(b, h.Name...), h.Extra...)
}

// appendCommon appends the fields that both headers share.
//
//	u16  flags
//	u16  method
//	u16  time and u16 date of the last change
//	u32  checksum
//	u32  compressed size
//	u32  size
//	u16  length of the name
//	u16  length of the extra field
func (h Header) appendCommon(b []byte, packed, size uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, h.Flags)
	b = le.AppendUint16(b, h.Method)
	b = append(b, 0, 0, 0x21, 0x58) // any valid date
	b = le.AppendUint32(b, h.CRC)
	b = le.AppendUint32(b, packed)
	b = le.AppendUint32(b, size)
	b = le.AppendUint16(b, uint16(len(h.Name)))
	return le.AppendUint16(b, uint16(len(h.Extra)))
}

// centralHeader returns the header in the central directory.
//
// The header around the common fields (APPNOTE 4.3.12):
//
//	"PK" 1 2
//	u16  made by: version 4.5, Unix
//	u16  version needed
//	…    the common fields
//	u16  length of the comment
//	u16  number of the disk
//	u16  internal attributes
//	u32  external attributes: the Unix mode in the upper half
//	u32  offset of the local header
//	…    name and extra field
func (h Header) centralHeader(e Entry) []byte {
	le := binary.LittleEndian
	packed, size, offset := uint32(h.CompressedSize), uint32(h.Size), uint32(h.Offset)
	// Fields of all ones refer to the extra field with the tag 1 (APPNOTE 4.5.3).
	if e.Zip64 {
		h.Extra = append(h.Extra, 1, 0, 24, 0)
		for _, v := range []uint64{h.Size, h.CompressedSize, h.Offset} {
			h.Extra = le.AppendUint64(h.Extra, v)
		}
		packed, size, offset = 1<<32-1, 1<<32-1, 1<<32-1
	}
	b := append([]byte("PK\x01\x02"), 45, 3, 20, 0) // made by Unix
	b = h.appendCommon(b, packed, size)
	b = append(b, 0, 0, 0, 0, 0, 0) // no comment, disk 0, no attributes
	b = le.AppendUint32(b, e.Mode<<16)
	b = le.AppendUint32(b, offset)
	return append(append(b, h.Name...), h.Extra...)
}
