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

	"portico/splat/input"
)

// entryReader unpacks one entry and compares it with its directory header. It returns the last
// bytes only after the whole entry has been verified: a caller that counts bytes and never
// reads to io.EOF cannot take a damaged file for a complete one. It never returns more bytes
// than the header declares, so the Limits, against which the declared sizes were checked, also
// hold for the real sizes.
type entryReader struct {
	ctx    context.Context // of the extraction; checked at every read
	entry  *entry
	data   io.Reader
	done   int64
	crc    uint32
	err    error     // the result of all later reads; io.EOF when the entry is complete
	onRead func(int) // called with the length of every piece; may be nil
}

// open returns a reader of the entry's content. It invalidates the reader that it returned
// before, because all readers share one decompressor: a new one for each of 100,000 tiles
// would allocate 40 KB each time.
func (z *Zip) open(ctx context.Context, e *entry) (*entryReader, error) {
	packed, err := z.packedData(e)
	if err != nil {
		return nil, err
	}
	r := &entryReader{ctx: ctx, entry: e, data: packed}
	if e.method == methodDeflate {
		if z.inflate == nil {
			z.inflate = flate.NewReader(packed)
		} else if err := z.inflate.(flate.Resetter).Reset(packed, nil); err != nil {
			return nil, fmt.Errorf("reset decompressor: %w", err)
		}
		r.data = z.inflate
	}
	return r, nil
}

// packedData returns the compressed data of an entry. It refuses a local header that differs
// from the directory: some readers trust the header and others the directory, and a virus
// scanner must see the same file as a viewer.
//
// The local header (APPNOTE 4.3.7), whose numbers are little-endian:
//
//	 0  u32  signature
//	 4  u16  version that is needed
//	 6  u16  flags
//	 8  u16  method of compression
//	10  u16  time, u16 date
//	14  u32  CRC-32, or 0 if it follows the data
//	18  u32  packed size, or 0 or saturated
//	22  u32  unpacked size, or 0 or saturated
//	26  u16  length of the name, which follows
//	28  u16  length of the extra field, which follows the name
//
// The checksum and the sizes are taken from the directory: a program that wrote the archive in one
// pass did not know them here (bit 3 of the flags, APPNOTE 4.4.4). The extra field may have another
// length than in the directory, so only this header says where the data starts.
func (z *Zip) packedData(e *entry) (io.Reader, error) {
	header := make([]byte, localSize+len(e.stored))
	if _, err := z.window.ReadAt(header, e.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	le := binary.LittleEndian
	nameSize, extraSize := int(le.Uint16(header[26:])), int64(le.Uint16(header[28:]))
	switch {
	case le.Uint32(header) != localSignature:
		return nil, input.Damaged(e.raw, "its header is missing")
	case nameSize != len(e.stored) || !bytes.Equal(header[localSize:], []byte(e.stored)),
		le.Uint16(header[8:]) != e.method, le.Uint16(header[6:])&flagsEncrypted != 0:
		return nil, input.Damaged(e.raw, "its header contradicts the directory")
	}
	// checkOverlap knew only the minimum size of the header.
	start := e.offset + int64(len(header)) + extraSize
	if e.packed > e.end-start {
		return nil, input.Errorf(e.raw, "overlaps the entry after it").Advise(adviceToZipAgain)
	}
	return io.NewSectionReader(z.window, start, e.packed), nil
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
	n, err := r.data.Read(p[:min(int64(len(p)), left)]) // never more than declared
	r.crc = crc32.Update(r.crc, crc32.IEEETable, p[:n])
	r.done += int64(n)
	if r.err = r.verify(err); r.err != nil && r.err != io.EOF {
		return 0, r.err
	}
	if r.onRead != nil && n > 0 {
		r.onRead(n)
	}
	return n, r.err
}

// verify returns nil while more bytes follow, and io.EOF when the entry is complete and
// correct. err is the error of the last read of the data.
func (r *entryReader) verify(err error) error {
	switch {
	case err != nil && err != io.EOF:
		return r.classify(err)
	case r.done < r.entry.size && err == io.EOF:
		return input.Damaged(r.entry.raw, "it is shorter than its header says")
	case r.done < r.entry.size:
		return nil
	}
	if err := r.checkEnd(); err != nil {
		return err
	}
	// The checksum (APPNOTE 4.4.7) detects accidents. An attacker can forge it.
	if r.crc != r.entry.crc {
		return input.Damaged(r.entry.raw, "its checksum is wrong")
	}
	return io.EOF
}

// checkEnd checks that the data ends where the header says.
func (r *entryReader) checkEnd() error {
	var probe [1]byte
	switch n, err := io.ReadFull(r.data, probe[:]); {
	case n > 0:
		return input.Damaged(r.entry.raw, "it is longer than its header says")
	case err != io.EOF:
		return r.classify(err)
	}
	return nil
}

// classify returns a fault of the entry for data that cannot be unpacked, and an
// internal error for a failure to read it.
func (r *entryReader) classify(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	_, internal := errors.AsType[flate.InternalError](err)
	if corrupt || internal || errors.Is(err, io.ErrUnexpectedEOF) {
		return input.Damaged(r.entry.raw, "its data cannot be unpacked")
	}
	return fmt.Errorf("read entry %s: %w", input.Quote(r.entry.raw), err)
}

// readManifest returns the content of a file of at most ManifestBytes.
func (z *Zip) readManifest(ctx context.Context, e *entry) ([]byte, error) {
	if e.size > z.limits.ManifestBytes {
		return nil, input.Errorf(e.raw, "is too large to read: %s", overLimit(uint64(e.size), "bytes", z.limits.ManifestBytes))
	}
	r, err := z.open(ctx, e)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
