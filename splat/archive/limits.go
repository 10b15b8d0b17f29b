package archive

import "portico/splat/input"

const adviceToSplit = "Export the capture in parts and upload each of them"

// Limits are the largest sizes that an archive may have. A zero field allows
// nothing, so start from DefaultLimits.
type Limits struct {
	// Entries is the maximum number of entries, including folders and ignored
	// files. Large captures have several thousand tiles.
	Entries int
	// DirectoryBytes is the maximum size of the central directory. It also limits
	// the memory of an open archive, which holds all names.
	DirectoryBytes int64
	// FileBytes is the maximum unpacked size of one entry. The data.bin of an LCC
	// capture is a single file of tens of gigabytes.
	FileBytes int64
	// TotalBytes is the maximum unpacked size of all entries together.
	TotalBytes int64
	// Ratio is the maximum of the unpacked size divided by the packed size, for each entry
	// and for the whole archive. Captures compress very little; the maximum of Deflate is
	// about 1030.
	Ratio int64
	// RatioFloor is the unpacked size in bytes up to which Ratio does not apply: small text
	// files may compress very well and do no harm.
	RatioFloor int64
	// ManifestBytes is the maximum size of a manifest, which is read into memory. Parsing a
	// hostile manifest takes about ten times this memory.
	ManifestBytes int64
	// AnyTile accepts .sog tiles with any content. Without it a tile must start like a SOG
	// bundle, because no viewer shows anything else.
	AnyTile bool
}

// DefaultLimits returns limits that real captures of tens of gigabytes do not exceed.
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

// exceedsRatio reports whether an unpacked size is too large for its packed size. It divides,
// because the product of packed and ratio may overflow.
func (l Limits) exceedsRatio(size, packed int64) bool {
	if size <= l.RatioFloor {
		return false
	}
	return l.Ratio <= 0 || (size-1)/l.Ratio >= packed
}

// checkDirectory refuses a central directory that declares too much, before it is
// read.
func (l Limits) checkDirectory(d directory) error {
	if d.entries > uint64(max(l.Entries, 0)) {
		return (&input.Error{Message: "The archive has too many files: " + overLimit(d.entries, "entries", l.Entries)}).
			Advise(adviceToSplit)
	}
	if d.size > l.DirectoryBytes {
		return &input.Error{Message: "The archive's directory is too large: " + overLimit(uint64(d.size), "bytes", l.DirectoryBytes)}
	}
	return nil
}

// checkEntry refuses an entry that declares too large a size. The declared sizes
// are enough: extraction refuses an entry that unpacks to any other size.
func (l Limits) checkEntry(e *entry) error {
	switch {
	case e.size > l.FileBytes:
		return input.Errorf(e.raw, "is too large: %s", overLimit(uint64(e.size), "bytes", l.FileBytes)).Advise(adviceToSplit)
	case l.exceedsRatio(e.size, e.packed):
		return input.Errorf(e.raw, "unpacks to more than %d times its packed size", l.Ratio).Advise(adviceToZipAgain)
	}
	return nil
}

// checkTotal refuses an archive whose entries together declare too large a size. The sum of
// packed sizes cannot overflow: entries that do not overlap fit into the file.
func (l Limits) checkTotal(entries []*entry) error {
	var size, packed int64
	for _, e := range entries {
		size, packed = size+e.size, packed+e.packed
		if size > l.TotalBytes {
			return (&input.Error{Message: "The archive unpacks to more than " + withCommas(l.TotalBytes) + " bytes"}).
				Advise(adviceToSplit)
		}
	}
	if l.exceedsRatio(size, packed) {
		return (&input.Error{Message: "The archive unpacks to more than " + withCommas(l.Ratio) + " times its packed size"}).
			Advise(adviceToZipAgain)
	}
	return nil
}
