package model

import "path"

// FileFormat is the format of a file, detected by its content.
type FileFormat string

// The formats. Package splat detects all but the last.
const (
	FormatLCC           FileFormat = "lcc"
	FormatLCC2          FileFormat = "lcc2"
	FormatSOG           FileFormat = "sog"
	FormatStreamedSOG   FileFormat = "streamed-sog"
	FormatSPZ           FileFormat = "spz"
	FormatSplat         FileFormat = "splat"
	FormatKSplat        FileFormat = "ksplat"
	FormatPLY           FileFormat = "ply"            // 3D Gaussians as 3DGS trainers write them
	FormatCompressedPLY FileFormat = "compressed-ply" // 3D Gaussians packed by SuperSplat
	FormatMeshPLY       FileFormat = "mesh-ply"       // any other PLY: a mesh or plain points
	FormatGLB           FileFormat = "glb"
	FormatGLTF          FileFormat = "gltf"
	FormatJPEG          FileFormat = "jpeg"
	FormatPNG           FileFormat = "png"
	FormatGIF           FileFormat = "gif"
	FormatWebP          FileFormat = "webp"
	FormatOther         FileFormat = "other"   // stored and served, not inspected
	FormatInvalid       FileFormat = "invalid" // damaged, see FileFacts.Fault
)

// FileFormats returns every format.
func FileFormats() []FileFormat {
	return []FileFormat{
		FormatLCC, FormatLCC2, FormatSOG, FormatStreamedSOG, FormatSPZ, FormatSplat, FormatKSplat,
		FormatPLY, FormatCompressedPLY, FormatMeshPLY, FormatGLB, FormatGLTF,
		FormatJPEG, FormatPNG, FormatGIF, FormatWebP, FormatOther, FormatInvalid,
	}
}

// FileFacts is the result of inspecting a stored file: splat.Facts in the form of the
// database and of clients. Fields that do not apply to the format are zero.
type FileFacts struct {
	Format FileFormat `json:"format"`
	// Version is the format's own version, "3" for SPZ version 3.
	Version string `json:"version,omitempty"`
	// Splats is the number of Gaussians of the finest level.
	Splats int64 `json:"splats,omitempty"`
	// LeftOut is the number of broken Gaussians, which are neither drawn nor
	// converted.
	LeftOut int64 `json:"left_out,omitempty"`
	// Degree is the degree of the spherical harmonics, 0 to 4.
	Degree int `json:"degree,omitempty"`
	// Model is the renderer that the Gaussians were trained for: antialiased, 2dgs, or empty
	// for the renderer of 3DGS.
	Model string `json:"model,omitempty"`
	// Levels is the number of Gaussians of each level of detail, the finest
	// first; nil for captures without levels.
	Levels []int64 `json:"levels,omitempty"`
	// Environment is the number of Gaussians around the capture.
	Environment int64 `json:"environment,omitempty"`
	// Bounds is the box around the centres of Gaussians or the vertices of a
	// mesh, in the file's own coordinates; nil where it is not known.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Offset is what was subtracted from the positions of a file whose coordinates are far from the
	// origin, such as coordinates of a map; nil for none.
	Offset *[3]float64 `json:"offset,omitempty"`
	// SuggestedView is the first view that the exporter of a capture suggests, in the file's own
	// coordinates; nil if the file has none.
	SuggestedView *SuggestedView `json:"view,omitempty"`
	// Up is the direction that the file declares as up, a unit vector in the file's own coordinates;
	// nil if it declares none.
	Up *[3]float64 `json:"up,omitempty"`
	// Outliers is the number of Gaussians that the view leaves out because they are far outside.
	Outliers int64 `json:"outliers,omitempty"`
	// Collision counts the collision meshes in the file; nil if it has none.
	Collision *CollisionMeshes `json:"collision,omitempty"`
	// Width and Height are the size of an image, in pixels.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Meshes, Vertices, Triangles, Materials and Animations count what a glTF
	// or a mesh PLY has.
	Meshes int `json:"meshes,omitempty"`
	// Instances is how many times a glTF shows a mesh, if it repeats one.
	Instances  int64 `json:"instances,omitempty"`
	Vertices   int64 `json:"vertices,omitempty"`
	Triangles  int64 `json:"triangles,omitempty"`
	Materials  int   `json:"materials,omitempty"`
	Animations int   `json:"animations,omitempty"`
	// Extensions names the glTF extensions that the file uses.
	Extensions []string `json:"extensions,omitempty"`
	// Attribution is the line that must be shown with the capture.
	Attribution string `json:"attribution,omitempty"`
	// Fault says what is wrong with a file whose format is FormatInvalid. The file is served
	// anyway, because the owner may have a viewer that reads it.
	Fault string `json:"fault,omitempty"`
}

// MapOffset returns the offset as a list, nil for none.
func (f *FileFacts) MapOffset() []float64 {
	if f.Offset == nil {
		return nil
	}
	return f.Offset[:]
}

// SuggestedView is where to stand in a capture and where to look.
type SuggestedView struct {
	// Position is the position of the eyes, and Target a point one metre ahead of it.
	Position [3]float64 `json:"position" jsonschema:"The place of the eyes: x, y, z."`
	Target   [3]float64 `json:"target" jsonschema:"A point a metre ahead of the eyes: x, y, z."`
}

// Eye returns Position as GraphQL lists it.
func (v *SuggestedView) Eye() []float64 { return v.Position[:] }

// LooksAt returns Target as GraphQL lists it.
func (v *SuggestedView) LooksAt() []float64 { return v.Target[:] }

// Upwards returns Up as GraphQL lists it; nil for none.
func (f *FileFacts) Upwards() []float64 {
	if f.Up == nil {
		return nil
	}
	return f.Up[:]
}

// CollisionMeshes counts the meshes with which people in a capture collide.
type CollisionMeshes struct {
	Meshes    int   `json:"meshes" jsonschema:"The number of meshes."`
	Vertices  int64 `json:"vertices" jsonschema:"The number of vertices."`
	Triangles int64 `json:"triangles" jsonschema:"The number of triangles."`
}

// Bounds is an axis-aligned box of corners x, y, z.
type Bounds struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// Lowest returns the corner with the smallest coordinates: x, y, z.
func (b Bounds) Lowest() []float64 { return b.Min[:] }

// Highest returns the corner with the largest coordinates: x, y, z.
func (b Bounds) Highest() []float64 { return b.Max[:] }

// AttributionXGRIDS is the line that the LCC white papers require to be shown with LCC and
// LCC2 data.
const AttributionXGRIDS = "Data Organization Format originated from XGRIDS"

// Attribution returns the line that must be shown with the file; empty for none.
func (f *File) Attribution() string {
	switch {
	case f.Facts != nil && f.Facts.Attribution != "":
		return f.Facts.Attribution
	case extensionOf(f.ResourceKey).name == ".lcc2":
		return AttributionXGRIDS // before the file was inspected, too
	}
	return ""
}

// IsSplat reports whether the file has Gaussian splats in the orientation of their
// trainers, y down: by its facts, or by its name before it was inspected.
func (f *File) IsSplat() bool {
	if f.Facts != nil && f.Facts.Format != FormatInvalid {
		return f.Facts.Format.isSplat()
	}
	if base := path.Base(f.ResourceKey); base == "lod-meta.json" || base == "meta.json" {
		return f.Objects > 1 // the index of a SOG, and not any file of that name
	}
	return extensionOf(f.ResourceKey).has(yDown)
}

// isSplat excludes glTF, whose orientation is always y up.
func (f FileFormat) isSplat() bool {
	switch f {
	case FormatLCC, FormatLCC2, FormatSOG, FormatStreamedSOG, FormatSPZ, FormatSplat, FormatKSplat, FormatPLY, FormatCompressedPLY:
		return true
	}
	return false
}
