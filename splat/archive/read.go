package archive

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// entryReader unpacks one entry and holds it to what the directory said. It
// gives out the last bytes only when all of the entry has proved right, so that
// nobody who counts bytes instead of waiting for io.EOF can take a bad file for
// a whole one. The limits on real bytes follow: the declared ones have passed
// them, and no byte more than declared is given out.
type entryReader struct {
	ctx    context.Context // of the extraction, checked at every read
	entry  *entry
	data   io.Reader
	done   int64
	crc    uint32
	err    error     // sticky; io.EOF when the entry is whole
	notify func(int) // told the length of every piece; may be nil
}

// open returns a reader of the entry's content. Only the reader opened last may
// be used: they share the decompressor.
func (a *Zip) open(ctx context.Context, e *entry) (*entryReader, error) {
	packed, err := a.packed(e)
	if err != nil {
		return nil, err
	}
	r := &entryReader{ctx: ctx, entry: e, data: packed}
	if e.method == methodDeflate {
		if a.inflate == nil {
			a.inflate = flate.NewReader(packed)
		} else if err := a.inflate.(flate.Resetter).Reset(packed, nil); err != nil {
			return nil, fmt.Errorf("reset decompressor: %w", err)
		}
		r.data = a.inflate
	}
	return r, nil
}

// packed returns the compressed data of an entry after checking the local
// header, which must agree with the directory: where the two differ, readers
// differ in what they see.
func (a *Zip) packed(e *entry) (io.Reader, error) {
	header := make([]byte, localSize+len(e.raw))
	if _, err := a.window.ReadAt(header, e.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	le := binary.LittleEndian
	nameSize, extraSize := int(le.Uint16(header[26:])), int64(le.Uint16(header[28:]))
	switch {
	case le.Uint32(header) != localSignature:
		return nil, entryError(e.raw, "is damaged: its header is missing")
	case nameSize != len(e.raw) || !bytes.Equal(header[localSize:], []byte(e.raw)),
		le.Uint16(header[8:]) != e.method, le.Uint16(header[6:])&flagsEncrypted != 0:
		return nil, entryError(e.raw, "is damaged: its header contradicts the directory")
	}
	start := e.offset + int64(len(header)) + extraSize
	if e.packed > e.end-start {
		return nil, entryError(e.raw, "overlaps the entry behind it")
	}
	return io.NewSectionReader(a.window, start, e.packed), nil
}

// Read implements io.Reader. Its error is an *input.Error when the entry is bad.
func (r *entryReader) Read(p []byte) (int, error) {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	left := r.entry.size - r.done
	n, err := r.data.Read(p[:min(int64(len(p)), left)])
	r.crc = crc32.Update(r.crc, crc32.IEEETable, p[:n])
	r.done += int64(n)
	if r.err = r.judge(err); r.err != nil && r.err != io.EOF {
		return 0, r.err
	}
	if r.notify != nil && n > 0 {
		r.notify(n)
	}
	return n, r.err
}

// judge decides after a read what the caller gets: nil while there is more to
// come, io.EOF when the entry is complete and right.
func (r *entryReader) judge(err error) error {
	switch {
	case err != nil && err != io.EOF:
		return r.blame(err)
	case r.done < r.entry.size && err == io.EOF:
		return entryError(r.entry.raw, "is damaged: it is shorter than its size says")
	case r.done < r.entry.size:
		return nil
	}
	if err := r.checkEnd(); err != nil {
		return err
	}
	if r.crc != r.entry.crc {
		return entryError(r.entry.raw, "is damaged: its checksum is wrong")
	}
	return io.EOF
}

// checkEnd makes sure that the data ends where the size says.
func (r *entryReader) checkEnd() error {
	var probe [1]byte
	switch n, err := io.ReadFull(r.data, probe[:]); {
	case n > 0:
		return entryError(r.entry.raw, "is damaged: it is longer than its size says")
	case err != io.EOF:
		return r.blame(err)
	}
	return nil
}

// blame tells data that cannot be unpacked from a failure to read it.
func (r *entryReader) blame(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	_, internal := errors.AsType[flate.InternalError](err)
	if corrupt || internal || errors.Is(err, io.ErrUnexpectedEOF) {
		return entryError(r.entry.raw, "is damaged: its data cannot be unpacked")
	}
	return fmt.Errorf("read entry %s: %w", quote(r.entry.raw), err)
}

// readManifest returns the content of a small file.
func (a *Zip) readManifest(ctx context.Context, e *entry) ([]byte, error) {
	if e.size > a.limits.ManifestBytes {
		return nil, entryError(e.raw, "is too large to be read: %s", count(uint64(e.size), "bytes", a.limits.ManifestBytes))
	}
	r, err := a.open(ctx, e)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
