package splat

import (
	"strings"
	"unicode"
)

// Format is what a file was found to be, by its content.
type Format string

// The formats that Inspect tells apart. FormatOther is a file that is stored and
// served and not looked into.
const (
	FormatLCC           Format = "lcc"
	FormatLCC2          Format = "lcc2"
	FormatSOG           Format = "sog"
	FormatStreamedSOG   Format = "streamed-sog"
	FormatSPZ           Format = "spz"
	FormatPLY           Format = "ply"            // 3D Gaussians as 3DGS trainers write them
	FormatCompressedPLY Format = "compressed-ply" // 3D Gaussians packed by SuperSplat
	FormatMeshPLY       Format = "mesh-ply"       // any other PLY: a mesh or plain points
	FormatGLB           Format = "glb"
	FormatGLTF          Format = "gltf"
	FormatJPEG          Format = "jpeg"
	FormatPNG           Format = "png"
	FormatGIF           Format = "gif"
	FormatWebP          Format = "webp"
	FormatOther         Format = "other"
)

// Facts is what a file says of itself, once it has been checked. Fields that do
// not apply to the format are zero.
type Facts struct {
	Format Format `json:"format"`
	// Version is the format's own version, "3" for SPZ version 3.
	Version string `json:"version,omitempty"`
	// Splats is the number of Gaussians of the finest level.
	Splats int64 `json:"splats,omitempty"`
	// Degree is that of the spherical harmonics, 0 to 4.
	Degree int `json:"degree,omitempty"`
	// Levels holds the number of Gaussians of each level of detail, the finest
	// first; nil for captures without levels.
	Levels []int64 `json:"levels,omitempty"`
	// Environment is the number of Gaussians around the capture.
	Environment int64 `json:"environment,omitempty"`
	// Bounds is the box around the centres of Gaussians or the vertices of a
	// mesh, in the file's own coordinates; nil where it is not known.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Width and Height are those of an image, in pixels.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Meshes, Vertices, Triangles, Materials and Animations count what a glTF
	// or a mesh PLY has.
	Meshes     int   `json:"meshes,omitempty"`
	Vertices   int64 `json:"vertices,omitempty"`
	Triangles  int64 `json:"triangles,omitempty"`
	Materials  int   `json:"materials,omitempty"`
	Animations int   `json:"animations,omitempty"`
	// Extensions names the glTF extensions that the file uses.
	Extensions []string `json:"extensions,omitempty"`
	// Attribution is the line that must be shown with the capture.
	Attribution string `json:"attribution,omitempty"`
}

// Bounds is an axis-aligned box.
type Bounds struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// AttributionXGRIDS is the line that the LCC white papers ask to be shown
// wherever LCC or LCC2 data is.
const AttributionXGRIDS = "Data Organization Format originated from XGRIDS"

// The bounds of the words that come from the file.
const (
	maxWord  = 100 // characters
	maxWords = 100
)

// tidy bounds the words that come from the file: there they may be megabytes long,
// and hold what a terminal obeys.
func (f *Facts) tidy() {
	f.Version = tidyWord(f.Version)
	f.Extensions = f.Extensions[:min(len(f.Extensions), maxWords)]
	for i, name := range f.Extensions {
		f.Extensions[i] = tidyWord(name)
	}
}

// tidyWord returns a word of bounded length, in which all can be seen.
func tidyWord(word string) string {
	characters, seen := 0, strings.Builder{}
	for _, c := range word {
		if characters++; characters > maxWord {
			return seen.String() + "..."
		}
		if !unicode.IsPrint(c) {
			c = '?'
		}
		seen.WriteRune(c)
	}
	return seen.String()
}
