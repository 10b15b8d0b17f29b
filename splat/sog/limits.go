package sog

// Limits bound what a file may ask of the reader. A zero field allows nothing,
// so begin with DefaultLimits.
type Limits struct {
	// Gaussians is how many a capture may have, all levels together, and as many
	// again in its environment.
	Gaussians int64
	// Pixels is how many one image may have. Its decoded form takes 4 bytes for
	// each, and up to 25 bytes for each Gaussian stay in memory.
	Pixels int64
	// Files is how many chunks a streamed SOG may have.
	Files int
	// ManifestBytes is the largest meta.json.
	ManifestBytes int64
	// IndexBytes is the largest lod-meta.json, which is read as a stream and
	// takes about its own size in memory where its author is hostile.
	IndexBytes int64
}

// DefaultLimits returns limits that captures of half a billion Gaussians pass.
// The largest image is that of 64 million: such a bundle takes seconds to load
// and no viewer shows it.
func DefaultLimits() Limits {
	return Limits{
		Gaussians:     1 << 29,
		Pixels:        1 << 26,
		Files:         100_000,
		ManifestBytes: 1 << 20,
		IndexBytes:    64 << 20,
	}
}

// The bounds of the formats themselves.
const (
	// maxSide is the longest side of a WebP image (VP8L specification, 3).
	maxSide = 16384
	// maxLevels is more than any capture has; each is a key in every leaf.
	maxLevels = 64
	// maxDegree is that of the harmonics that SOG can hold.
	maxDegree = 3
	// maxPalette is how many entries fit the 16 bits of a label.
	maxPalette = 1 << 16
	// paletteColumns is how many entries stand side by side in the image of the
	// palette.
	paletteColumns = 64
	// codebookSize is how many values a byte can stand for.
	codebookSize = 256
)
