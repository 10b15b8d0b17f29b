package model

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// KindOfFacts are the facts of a file as a union type, with one type below for each kind of file.
type KindOfFacts interface{ IsFileFacts() }

// GaussianFacts are the facts of a capture. A glTF with Gaussians is one.
type GaussianFacts struct{ *FileFacts }

// MeshFacts are the facts of a mesh or a point cloud without Gaussians.
type MeshFacts struct{ *FileFacts }

// ImageFacts are the facts of an image.
type ImageFacts struct{ *FileFacts }

// DamagedFacts are the facts of a damaged file.
type DamagedFacts struct{ *FileFacts }

// OtherFacts are the facts of a file that is not inspected.
type OtherFacts struct{ *FileFacts }

// IsFileFacts implements KindOfFacts.
func (GaussianFacts) IsFileFacts() {}

// IsFileFacts implements KindOfFacts.
func (MeshFacts) IsFileFacts() {}

// IsFileFacts implements KindOfFacts.
func (ImageFacts) IsFileFacts() {}

// IsFileFacts implements KindOfFacts.
func (DamagedFacts) IsFileFacts() {}

// IsFileFacts implements KindOfFacts.
func (OtherFacts) IsFileFacts() {}

// FactsByKind returns the facts of the file as a union type; nil until the file was inspected.
func (f *File) FactsByKind() KindOfFacts {
	if f.Facts == nil {
		return nil
	}
	isModel := func(format FileFormat) bool { return format == FormatGLB || format == FormatGLTF }
	switch format := f.Facts.Format; {
	case format.isSplat(), isModel(format) && f.Facts.Splats > 0:
		return GaussianFacts{f.Facts}
	case format == FormatMeshPLY, isModel(format):
		return MeshFacts{f.Facts}
	case format == FormatJPEG, format == FormatPNG, format == FormatGIF, format == FormatWebP:
		return ImageFacts{f.Facts}
	case format == FormatInvalid:
		return DamagedFacts{f.Facts}
	}
	return OtherFacts{f.Facts}
}

// MaxObject is the maximum size in bytes of an entity's data and state together, and of the fields
// kept with a space, as they are stored and returned.
const MaxObject = 1 << 20

// The limits of a client's JSON, far above any real value.
const (
	// maxJSONDepth limits the nesting of arrays and objects. The encoder of a response,
	// which wraps the value, has a limit too.
	maxJSONDepth = 1000
	// maxExponent limits the length of a number: Postgres writes 1e99999 with all of its
	// zeros.
	maxExponent = 400
)

// checkObject refuses an object that could not be stored and returned unchanged.
func checkObject(field string, o Object) error {
	if !utf8.Valid(o) {
		return InvalidField(field, "must be valid UTF-8")
	}
	if path, found := findText(o, hasNUL); found {
		return InvalidField(strings.TrimSuffix(field+"."+path, "."), "must not contain a NUL character")
	}
	depth, text := 0, false
	for i := 0; i < len(o); i++ {
		switch c := o[i]; {
		case text && c == '\\':
			i++ // the escaped character does not end the string
		case c == '"':
			text = !text
		case text: // nothing in a string counts
		case c == '{', c == '[':
			if depth++; depth > maxJSONDepth {
				return InvalidField(field, fmt.Sprintf("is nested more than %d deep", maxJSONDepth))
			}
		case c == '}', c == ']':
			depth--
		case (c == 'e' || c == 'E') && isDigit(o[i-1]) && !exponentFits(o[i+1:]):
			return InvalidField(field, fmt.Sprintf("has a number with an exponent beyond %d", maxExponent))
		}
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// exponentFits reports whether the exponent at the start of rest is within maxExponent.
func exponentFits(rest Object) bool {
	end := 0
	for end < len(rest) && strings.IndexByte("+-0123456789", rest[end]) >= 0 {
		end++
	}
	exponent, err := strconv.Atoi(string(rest[:end]))
	return err == nil && -maxExponent <= exponent && exponent <= maxExponent
}

// ArchivedCapture is one of several captures in a zip, which is stored as it is.
type ArchivedCapture struct {
	// Name is the path of its file, or of its manifest, in the zip.
	Name string `json:"name"`
	// Size is the unpacked size of all its files, in bytes.
	Size int64 `json:"size"`
	// Splats is the number of Gaussians; 0 if the start of the file does not say.
	Splats int64 `json:"splats,omitempty"`
}

// ExtractCapture is the input of extractCapture.
type ExtractCapture struct {
	ResourceKey string // of the zip
	Name        string // of the capture in it
}

// Check refuses a name that is none of the captures of the file.
func (in ExtractCapture) Check(file *File) error {
	if len(file.Captures) == 0 {
		return InvalidField("resource_key", "must be a zip with several captures")
	}
	if !slices.ContainsFunc(file.Captures, func(c ArchivedCapture) bool { return c.Name == in.Name }) {
		return InvalidField("name", "must be the name of one of the captures of the file")
	}
	return nil
}

// NewExtraction returns a job that makes a file of one capture of a zip, and an upload for the result,
// as NewConversion does.
func NewExtraction(zip *File, capture string) (*Upload, *Job) {
	// Captures in folders often have the same name: point_cloud.ply.
	name := strings.ReplaceAll(withoutDisruptive(capture), "/", "_")
	for utf8.RuneCountInString(name) > maxFileName {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	upload, job := newFileJob(zip, CreateUpload{FileName: name, ContentType: zip.ContentType})
	job.Type, job.Capture = JobZip, capture
	return upload, job
}
