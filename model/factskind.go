package model

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
