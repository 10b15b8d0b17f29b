package sog

// Limits limit the resources that a file can take. A zero field allows nothing, so start
// with DefaultLimits.
type Limits struct {
	// Gaussians is the maximum number of Gaussians in all levels together, and also
	// the maximum number in the environment.
	Gaussians int64
	// Pixels is the maximum size of an image. Decoding takes 4 bytes for each pixel,
	// and up to 25 bytes for each Gaussian stay in memory.
	Pixels int64
	// Files is the maximum number of chunks in a streamed SOG.
	Files int
	// ManifestBytes is the maximum size of a meta.json.
	ManifestBytes int64
	// IndexBytes is the maximum size of a lod-meta.json. It is read as a stream, and
	// takes about its size in memory even if it is hostile.
	IndexBytes int64
}

// DefaultLimits returns limits for captures of half a billion Gaussians and bundles of 64
// million, which take seconds to load and which no viewer shows.
func DefaultLimits() Limits {
	return Limits{
		Gaussians:     1 << 29,
		Pixels:        1 << 26,
		Files:         100_000,
		ManifestBytes: 1 << 20,
		IndexBytes:    64 << 20,
	}
}

// The advice for users whose capture cannot be read.
const (
	adviceToExportAgain   = "Export the capture again"
	adviceToExportInParts = "Export the capture in parts and upload each of them"
)

// The limits of the formats.
const (
	// maxSide is the maximum side of a WebP image (RFC 9649, section 3.4).
	maxSide = 16384
	// maxLevels is more levels than any capture has. Each level is a key in every
	// leaf.
	maxLevels = 64
	// maxDegree is the maximum degree of harmonics.
	maxDegree = 3
	// maxPalette is the number of entries that the 16 bits of a label can index.
	maxPalette = 1 << 16
	// paletteColumns is the number of entries in a row of the palette's image.
	paletteColumns = 64
	// codebookSize is the number of entries that a byte can index.
	codebookSize = 256
)
