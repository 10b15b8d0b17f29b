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

// Entry is one file of a hand-made zip.
type Entry struct {
	Name string
	Body []byte
	// Method is Store or Deflate; with any other the body is stored under it.
	Method uint16
	// Mode is the Unix mode with its type, for example 0o120777 for a symbolic
	// link; 0 says nothing.
	Mode uint32
	// Lie changes what the central directory says of the entry, Local what its
	// own header says. Nil tells the truth.
	Lie, Local func(*Header)
	// Zip64 writes the sizes into the extra field for large files.
	Zip64 bool
}

// Header is what an archive says of an entry, at both places.
type Header struct {
	Name                 string
	Flags, Method        uint16
	CRC                  uint32
	Packed, Size, Offset uint64
	Extra                []byte
}

// Zip returns an archive of these entries. Nothing is checked, since most
// callers want it wrong.
func Zip(entries ...Entry) []byte {
	var data, directory []byte
	for _, e := range entries {
		packed := e.pack()
		h := Header{
			Name: e.Name, Method: e.Method, CRC: crc32.ChecksumIEEE(e.Body),
			Packed: uint64(len(packed)), Size: uint64(len(e.Body)), Offset: uint64(len(data)),
		}
		data = append(append(data, change(h, e.Local).local()...), packed...)
		directory = append(directory, change(h, e.Lie).central(e)...)
	}
	end := End(len(entries), len(directory), len(data))
	return append(append(data, directory...), end...)
}

// End returns the record that ends an archive.
func End(entries, directorySize, directoryOffset int) []byte {
	le := binary.LittleEndian
	b := append([]byte("PK\x05\x06"), 0, 0, 0, 0)
	b = le.AppendUint16(b, uint16(entries))
	b = le.AppendUint16(b, uint16(entries))
	b = le.AppendUint32(b, uint32(directorySize))
	b = le.AppendUint32(b, uint32(directoryOffset))
	return append(b, 0, 0)
}

// End64 returns the two records that go before End in a zip64 archive, at the
// given offset.
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

func change(h Header, f func(*Header)) Header {
	if f != nil {
		f(&h)
	}
	return h
}

// pack compresses the body.
func (e Entry) pack() []byte {
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

// local returns the header before the data.
func (h Header) local() []byte {
	b := append([]byte("PK\x03\x04"), 20, 0)
	b = h.fields(b, uint32(h.Packed), uint32(h.Size))
	return append(append(b, h.Name...), h.Extra...)
}

// fields appends what both headers have in common.
func (h Header) fields(b []byte, packed, size uint32) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, h.Flags|1<<11) // names are UTF-8
	b = le.AppendUint16(b, h.Method)
	b = append(b, 0, 0, 0x21, 0x58) // a day in 2024
	b = le.AppendUint32(b, h.CRC)
	b = le.AppendUint32(b, packed)
	b = le.AppendUint32(b, size)
	b = le.AppendUint16(b, uint16(len(h.Name)))
	return le.AppendUint16(b, uint16(len(h.Extra)))
}

// central returns the header in the directory.
func (h Header) central(e Entry) []byte {
	le := binary.LittleEndian
	packed, size, offset := uint32(h.Packed), uint32(h.Size), uint32(h.Offset)
	if e.Zip64 {
		h.Extra = append(h.Extra, 1, 0, 24, 0)
		for _, v := range []uint64{h.Size, h.Packed, h.Offset} {
			h.Extra = le.AppendUint64(h.Extra, v)
		}
		packed, size, offset = 1<<32-1, 1<<32-1, 1<<32-1
	}
	b := append([]byte("PK\x01\x02"), 45, 3, 20, 0) // made by Unix
	b = h.fields(b, packed, size)
	b = append(b, 0, 0, 0, 0, 0, 0) // no comment, disk 0, no attributes
	b = le.AppendUint32(b, e.Mode<<16)
	b = le.AppendUint32(b, offset)
	return append(append(b, h.Name...), h.Extra...)
}
