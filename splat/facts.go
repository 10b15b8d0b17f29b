package splat

import (
	"strings"
	"unicode"

	"portico/splat/gaussian"
)

// Format is the format of a file by its content, in the words of the facts in the API.
type Format string

// The formats. Open recognises all except FormatCSV and FormatVoxels. A file of FormatOther is
// stored and served without being read.
const (
	FormatLCC           Format = "lcc"
	FormatLCC2          Format = "lcc2"
	FormatSOG           Format = "sog"
	FormatStreamedSOG   Format = "streamed-sog"
	FormatSPZ           Format = "spz"
	FormatSplat         Format = "splat"
	FormatKSplat        Format = "ksplat"
	FormatPLY           Format = "ply"            // 3D Gaussians from a trainer
	FormatCompressedPLY Format = "compressed-ply" // 3D Gaussians packed by SuperSplat
	FormatMeshPLY       Format = "mesh-ply"       // a mesh or points
	FormatGLB           Format = "glb"
	FormatGLTF          Format = "gltf"
	FormatJPEG          Format = "jpeg"
	FormatPNG           Format = "png"
	FormatGIF           Format = "gif"
	FormatWebP          Format = "webp"
	FormatHTML          Format = "html"   // a viewer with a capture, in one page
	FormatCSV           Format = "csv"    // written, not read
	FormatVoxels        Format = "voxels" // a collision; written, not read
	FormatOther         Format = "other"
)

// Facts describes the content of a file. Fields that do not apply to the format are
// zero.
type Facts struct {
	Format Format `json:"format"`
	// Version is the version of the format, such as "3" for SPZ version 3.
	Version string `json:"version,omitempty"`
	// Splats is the number of Gaussians in the finest level.
	Splats int64 `json:"splats,omitempty"`
	// LeftOut is the number of broken Gaussians of all levels: Gaussians with a value that is not
	// finite, or without a size. They are neither drawn nor converted. Splats includes them,
	// except in the facts of a conversion's result.
	LeftOut int64 `json:"left_out,omitempty"`
	// Degree is the degree of the spherical harmonics, 0 to 4.
	Degree int `json:"degree,omitempty"`
	// Model is the renderer for which the Gaussians were trained; "" means the renderer of 3DGS.
	Model Model `json:"model,omitempty"`
	// Levels is the number of Gaussians in each level of detail, the finest first.
	// It is nil for formats without levels.
	Levels []int64 `json:"levels,omitempty"`
	// Environment is the number of Gaussians around the capture.
	Environment int64 `json:"environment,omitempty"`
	// Bounds is the box around the centres of the Gaussians or the vertices of the
	// mesh, in the coordinates of the file. It is nil if it is unknown.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Offset is what is subtracted from the positions of a file whose coordinates are far from the
	// origin, such as coordinates of a map, before it is drawn or converted. Bounds has the
	// coordinates of the file. Offset is nil for other files. The result of a conversion has the
	// offset of its source, and its own coordinates are without it.
	Offset *[3]float64 `json:"offset,omitempty"`
	// SuggestedView is the first view that the exporter of a capture suggests, in the coordinates
	// of the file. It is nil if the file has none.
	SuggestedView *View `json:"view,omitempty"`
	// Up is the direction that the file declares as up, a unit vector in the coordinates of the
	// file. It is nil for a file that declares none: its axes are those of the format.
	Up *[3]float64 `json:"up,omitempty"`
	// Collision describes the meshes with which visitors of a capture collide. It is nil if the
	// file has none with triangles.
	Collision *Collision `json:"collision,omitempty"`
	// Width and Height are the size of an image in pixels.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Meshes, Vertices, Triangles, Materials and Animations count the parts of a
	// glTF file or a mesh PLY.
	Meshes int `json:"meshes,omitempty"`
	// Instances is how many times a glTF file shows a mesh, if it repeats one by
	// EXT_mesh_gpu_instancing. Vertices and Triangles count each mesh once.
	Instances  int64 `json:"instances,omitempty"`
	Vertices   int64 `json:"vertices,omitempty"`
	Triangles  int64 `json:"triangles,omitempty"`
	Materials  int   `json:"materials,omitempty"`
	Animations int   `json:"animations,omitempty"`
	// Extensions names the glTF extensions that the file uses.
	Extensions []string `json:"extensions,omitempty"`
	// Attribution is the line that must be shown with the capture.
	Attribution string `json:"attribution,omitempty"`
}

// Model is the renderer for which Gaussians were trained.
type Model string

// The models other than the renderer of 3DGS. Other renderers show the Gaussians of such
// captures too thick, or with gaps between them.
const (
	ModelAntialiased Model = "antialiased" // Gaussians are at least a pixel wide (Mip-Splatting)
	Model2DGS        Model = "2dgs"        // Gaussians are discs
)

// Bounds is an axis-aligned box.
type Bounds = gaussian.Bounds

// View is where to stand in a capture and where to look, as its owner has chosen it. A Start,
// in contrast, is found by Build of package voxel.
type View struct {
	// Position is the position of the eye, and Target a point one metre ahead.
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
}

// Collision counts what the collision meshes of an LCC capture contain, in all cells together.
type Collision struct {
	Meshes    int   `json:"meshes"`
	Vertices  int64 `json:"vertices"`
	Triangles int64 `json:"triangles"`
}

// AttributionXGRIDS is the line that the LCC and LCC2 white papers require wherever
// their data is shown.
const AttributionXGRIDS = "Data Organization Format originated from XGRIDS"

// The limits of words that come from the file.
const (
	maxWordLength = 100 // characters
	maxWords      = 100
)

// sanitise shortens the words that come from the file and replaces control characters. In a
// hostile file words are megabytes long and contain escape sequences for terminals.
func (f *Facts) sanitise() {
	f.Version = sanitiseWord(f.Version)
	f.Extensions = f.Extensions[:min(len(f.Extensions), maxWords)]
	for i, name := range f.Extensions {
		f.Extensions[i] = sanitiseWord(name)
	}
}

// sanitiseWord returns a word of limited length with printable characters only.
func sanitiseWord(word string) string {
	characters, out := 0, strings.Builder{}
	for _, c := range word {
		if characters++; characters > maxWordLength {
			return out.String() + "..."
		}
		if !unicode.IsPrint(c) {
			c = '?'
		}
		out.WriteRune(c)
	}
	return out.String()
}
