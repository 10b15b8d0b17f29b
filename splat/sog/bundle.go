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

// The signatures and fixed sizes of zip records (PKWARE APPNOTE, section 4.3).
const (
	endSignature   = 0x06054b50
	endSize        = 22
	entrySignature = 0x02014b50
	entrySize      = 46
	localSignature = 0x04034b50
	localSize      = 30
)

// Limits far above real bundles, which have eight files with short names and no
// comment.
const (
	maxComment   = 1<<16 - 1
	maxDirectory = 1 << 20
	maxInflated  = 256 << 20
)

// bundle is the folder in a .sog file, which is a zip. Like the format's viewers, it
// supports stored and deflated entries and no 64-bit fields. It needs few rules against
// hostile archives: the directory is small, entries are only looked up by the names in
// a manifest, and each is read once.
type bundle struct {
	file    folder.File
	name    string
	entries map[string]entry
}

type entry struct {
	deflated             bool
	compressedSize, size int64
	headerOffset         int64 // of the local header
}

// openBundle reads the zip directory of file. The name is for error texts.
func openBundle(file folder.File, name string) (*bundle, error) {
	b := &bundle{file: file, name: name, entries: map[string]entry{}}
	directory, err := b.directory()
	if err != nil {
		return nil, err
	}
	// The loop ends: every entry takes at least entrySize bytes of a directory whose size
	// is limited. The count in the end record may lie, so it is not used.
	for len(directory) > 0 {
		if directory, err = b.readEntry(directory); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readAt returns n bytes of the file. A range beyond the end is the file's fault, and
// so an *input.Error.
func (b *bundle) readAt(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > b.file.Size()-n {
		return nil, b.damaged()
	}
	data := make([]byte, n)
	if _, err := b.file.ReadAt(data, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", input.Quote(b.name), err)
	}
	return data, nil
}

// damaged returns the error for a zip whose records cannot be found.
func (b *bundle) damaged() error {
	return input.Errorf(b.name, "is not a SOG bundle, or it is damaged: its zip directory cannot be read").Advise(adviceToExportAgain)
}

// directory finds the end record, which a comment may follow, and returns the central
// directory.
//
// The layouts of the records are in package archive; the fields that are read here are, in the end
// record, the size (12) and the offset (16) of the directory and the length of the comment (20).
func (b *bundle) directory() ([]byte, error) {
	n := min(b.file.Size(), endSize+maxComment)
	tail, err := b.readAt(b.file.Size()-n, n)
	if err != nil {
		return nil, err
	}
	// A comment may contain the signature. Only the real record's comment length
	// reaches exactly to the end of the file.
	for at := len(tail) - endSize; at >= 0; at-- {
		end := tail[at:]
		if binary.LittleEndian.Uint32(end) != endSignature || int(binary.LittleEndian.Uint16(end[20:])) != len(end)-endSize {
			continue
		}
		size, offset := binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
		if size > maxDirectory {
			return nil, input.Errorf(b.name, "is not a SOG bundle: it has too many files").Advise(adviceToExportAgain)
		}
		return b.readAt(int64(offset), int64(size))
	}
	return nil, b.damaged()
}

// readEntry reads the first entry of the directory and returns the rest. Only the last of two
// entries with the same name counts.
func (b *bundle) readEntry(directory []byte) ([]byte, error) {
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
	e := entry{deflated: u16(10) == 8, compressedSize: u32(20), size: u32(24), headerOffset: u32(42)}
	switch method, encrypted := u16(10), u16(8)&1 != 0; {
	case encrypted:
		return nil, input.Errorf(b.name, "is encrypted").Advise("Export it without a password and upload it again")
	case method != 0 && method != 8:
		return nil, input.Errorf(b.name, "has an entry %s that is neither stored nor deflated", input.Quote(name)).
			Advise("Create the zip with the method Deflate, which every program has, and upload it again")
	case method == 0 && e.compressedSize != e.size, e.size > maxInflated && e.deflated:
		return nil, input.Damaged(b.name, "it has an entry %s of impossible size", input.Quote(name))
	}
	b.entries[path.Clean(name)] = e
	return directory[next:], nil
}

// Open implements folder.Reader. It inflates deflated files into memory, up to their
// declared size.
func (b *bundle) Open(ctx context.Context, name string) (folder.File, error) {
	e, ok := b.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	header, err := b.readAt(e.headerOffset, localSize)
	if err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(header) != localSignature {
		return nil, b.damaged()
	}
	// The local header's name and extra fields may differ from the directory's.
	start := e.headerOffset + localSize + int64(binary.LittleEndian.Uint16(header[26:])) + int64(binary.LittleEndian.Uint16(header[28:]))
	if start > b.file.Size()-e.compressedSize {
		return nil, b.damaged()
	}
	// Writers of SOG store their images, so those are read in place, without a copy.
	compressed := io.NewSectionReader(b.file, start, e.compressedSize)
	if !e.deflated {
		return section{compressed}, nil
	}
	// The buffer grows with the real bytes, not with the declared size. One byte more
	// than declared shows that the entry is longer.
	var content bytes.Buffer
	n, err := io.Copy(&content, io.LimitReader(flate.NewReader(contextReader{ctx, compressed}), e.size+1))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || n != e.size {
		return nil, input.Damaged(b.name, "its entry %s cannot be unpacked", input.Quote(name))
	}
	return section{io.NewSectionReader(bytes.NewReader(content.Bytes()), 0, n)}, nil
}

// section is a file inside another file, which stays open.
type section struct{ *io.SectionReader }

// Close does nothing, because the bytes belong to the bundle.
func (section) Close() error { return nil }
