package archive

import "portico/splat/input"

// Limits bound what an archive may ask of us. They are settings of the server.
// A zero field allows nothing, so begin with DefaultLimits.
type Limits struct {
	// Entries is how many entries an archive may have, folders and ignored
	// files included. Large captures have several thousand tiles.
	Entries int
	// DirectoryBytes bounds the central directory. It is what bounds our
	// memory: all names of the archive are inside it.
	DirectoryBytes int64
	// FileBytes is the largest unpacked size of one entry. The data.bin of an
	// LCC capture is one file of tens of gigabytes.
	FileBytes int64
	// TotalBytes is the largest unpacked size of all entries together.
	TotalBytes int64
	// Ratio is how many times its packed size an entry may unpack to, and the
	// whole archive too. Captures are nearly incompressible.
	Ratio int64
	// RatioFloor exempts what unpacks to no more bytes than this from Ratio:
	// small text files may compress very well and cannot hurt.
	RatioFloor int64
	// ManifestBytes is the largest manifest that is read into memory. Parsing
	// one takes up to about ten times as much where its author is hostile.
	ManifestBytes int64
	// AnyTile accepts .sog tiles whatever they begin with. Normally a tile must
	// begin like a SOG bundle, because any other file that is called .sog would
	// be served and then shown by no viewer.
	AnyTile bool
}

// DefaultLimits returns limits that real captures of tens of gigabytes pass.
func DefaultLimits() Limits {
	return Limits{
		Entries:        100_000,
		DirectoryBytes: 32 << 20,
		FileBytes:      32 << 30,
		TotalBytes:     64 << 30,
		Ratio:          200,
		RatioFloor:     1 << 20,
		ManifestBytes:  32 << 20,
	}
}

// expandsTooMuch tells whether size unpacked bytes out of packed ones are over
// the ratio. It divides, since packed times ratio might overflow.
func (l Limits) expandsTooMuch(size, packed int64) bool {
	if size <= l.RatioFloor {
		return false
	}
	return l.Ratio <= 0 || (size-1)/l.Ratio >= packed
}

// checkDirectory refuses a central directory by what it declares, before any of
// it is read.
func (l Limits) checkDirectory(d directory) error {
	if d.entries > uint64(max(l.Entries, 0)) {
		return &input.Error{Message: "The archive has too many files: " + count(d.entries, "entries", l.Entries)}
	}
	if d.size > l.DirectoryBytes {
		return &input.Error{Message: "The archive's directory is too large: " + count(uint64(d.size), "bytes", l.DirectoryBytes)}
	}
	return nil
}

// checkEntry refuses an entry by its declared sizes. That is enough, because
// extraction refuses an entry that does not unpack to exactly its size.
func (l Limits) checkEntry(e *entry) error {
	switch {
	case e.size > l.FileBytes:
		return entryError(e.raw, "is too large: %s", count(uint64(e.size), "bytes", l.FileBytes))
	case l.expandsTooMuch(e.size, e.packed):
		return entryError(e.raw, "unpacks to more than %d times its packed size", l.Ratio)
	}
	return nil
}

// checkTotal refuses an archive by the sums of its entries' sizes. The packed
// sizes cannot overflow: entries that do not overlap fit into the file.
func (l Limits) checkTotal(entries []*entry) error {
	var size, packed int64
	for _, e := range entries {
		size, packed = size+e.size, packed+e.packed
		if size > l.TotalBytes {
			return &input.Error{Message: "The archive unpacks to too much: more than " + group(l.TotalBytes) + " bytes"}
		}
	}
	if l.expandsTooMuch(size, packed) {
		return &input.Error{Message: "The archive unpacks to more than " + group(l.Ratio) + " times its packed size"}
	}
	return nil
}
