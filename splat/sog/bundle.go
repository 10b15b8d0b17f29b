package sog

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"

	"portico/splat/folder"
	"portico/splat/input"
)

// The records of a zip (PKWARE APPNOTE 4.3), their sizes without what varies.
const (
	endSignature   = 0x06054b50
	endSize        = 22
	entrySignature = 0x02014b50
	entrySize      = 46
	localSignature = 0x04034b50
	localSize      = 30
)

// What bundles of the format's writers stay far below: eight files with short
// names and no comment.
const (
	maxComment   = 1<<16 - 1
	maxDirectory = 1 << 20
	maxInflated  = 256 << 20
)

// bundle is the folder in a .sog file: a zip, of which viewers too read the
// entries that are stored or deflated and no 64-bit fields. The rules against
// hostile archives are simple here: the directory is small, its entries are looked
// up by the names that a manifest has, and each is read once.
type bundle struct {
	file    folder.File
	name    string
	entries map[string]entry
}

// entry is a file of a bundle.
type entry struct {
	deflated     bool
	packed, size int64
	local        int64 // where its local header is
}

// openBundle reads the directory of the zip in file, called name.
func openBundle(file folder.File, name string) (*bundle, error) {
	b := &bundle{file: file, name: name, entries: map[string]entry{}}
	directory, err := b.directory()
	if err != nil {
		return nil, err
	}
	for len(directory) > 0 {
		if directory, err = b.add(directory); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// read returns bytes of the file. That they are not there is its fault.
func (b *bundle) read(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > b.file.Size()-n {
		return nil, b.damaged()
	}
	data := make([]byte, n)
	if _, err := b.file.ReadAt(data, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", input.Quote(b.name), err)
	}
	return data, nil
}

// damaged is what is wrong with a file whose records are not where they must be.
func (b *bundle) damaged() error {
	return input.Errorf(b.name, "is no SOG bundle, or damaged: its zip directory cannot be read")
}

// directory finds the end record, behind which there may be a comment, and
// returns the central directory before it.
func (b *bundle) directory() ([]byte, error) {
	n := min(b.file.Size(), endSize+maxComment)
	tail, err := b.read(b.file.Size()-n, n)
	if err != nil {
		return nil, err
	}
	// A comment may hold what looks like the record, but not one whose own comment
	// would end with the file.
	for at := len(tail) - endSize; at >= 0; at-- {
		end := tail[at:]
		if binary.LittleEndian.Uint32(end) != endSignature || int(binary.LittleEndian.Uint16(end[20:])) != len(end)-endSize {
			continue
		}
		size, offset := binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
		if size > maxDirectory {
			return nil, input.Errorf(b.name, "is no SOG bundle: it has too many files")
		}
		return b.read(int64(offset), int64(size))
	}
	return nil, b.damaged()
}

// add takes the first entry off the directory, which it returns shortened.
func (b *bundle) add(directory []byte) ([]byte, error) {
	if len(directory) < entrySize || binary.LittleEndian.Uint32(directory) != entrySignature {
		return nil, b.damaged()
	}
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(directory[at:])) }
	u32 := func(at int) int64 { return int64(binary.LittleEndian.Uint32(directory[at:])) }
	nameEnd := entrySize + u16(28)
	next := nameEnd + u16(30) + u16(32)
	if next > len(directory) {
		return nil, b.damaged()
	}
	name := string(directory[entrySize:nameEnd])
	e := entry{deflated: u16(10) == 8, packed: u32(20), size: u32(24), local: u32(42)}
	switch method, encrypted := u16(10), u16(8)&1 != 0; {
	case encrypted:
		return nil, input.Errorf(b.name, "is encrypted")
	case method != 0 && method != 8:
		return nil, input.Errorf(b.name, "has an entry %s that is neither stored nor deflated", input.Quote(name))
	case method == 0 && e.packed != e.size, e.size > maxInflated && e.deflated:
		return nil, input.Errorf(b.name, "has an entry %s of impossible size", input.Quote(name))
	}
	b.entries[path.Clean(name)] = e
	return directory[next:], nil
}

// Open implements folder.Reader. Deflated files are unpacked into memory, which
// their declared size bounds.
func (b *bundle) Open(ctx context.Context, name string) (folder.File, error) {
	e, ok := b.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	header, err := b.read(e.local, localSize)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(header) != localSignature {
		return nil, b.damaged()
	}
	// The local header may have other fields than the directory's entry has.
	start := e.local + localSize + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	if start > b.file.Size()-e.packed {
		return nil, b.damaged()
	}
	packed := io.NewSectionReader(b.file, start, e.packed)
	if !e.deflated {
		return section{packed}, nil
	}
	var unpacked bytes.Buffer
	n, err := io.Copy(&unpacked, io.LimitReader(flate.NewReader(contextReader{ctx, packed}), e.size+1))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || n != e.size {
		return nil, input.Errorf(b.name, "is damaged: its entry %s cannot be unpacked", input.Quote(name))
	}
	return section{io.NewSectionReader(bytes.NewReader(unpacked.Bytes()), 0, n)}, nil
}

// section is a file inside of another, which it leaves open.
type section struct{ *io.SectionReader }

// Close does nothing: the bytes are the bundle's.
func (section) Close() error { return nil }
