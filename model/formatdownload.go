package model

import "slices"

// DownloadTargets returns the formats in which visitors may ask for files of Gaussians. The levels of
// detail of a streamed SOG are a download of their own: the view.
func DownloadTargets() []ConversionTarget {
	return []ConversionTarget{ConvertToSOG, ConvertToPLY, ConvertToCompressedPLY, ConvertToSPZ, ConvertToGLB, ConvertToCSV}
}

// DownloadTargets returns the formats in which visitors may ask for the file: none for a file that is
// known to have no Gaussians, and not the format that it has.
func (f *File) DownloadTargets() []ConversionTarget {
	format, err := f.checkGaussians("entity_id")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(DownloadTargets(), func(t ConversionTarget) bool { return FileFormat(t) == format })
}

// Title returns the name of the format, for people.
func (t ConversionTarget) Title() string {
	if t == ConvertToGLB {
		return "GLB"
	}
	return t.title()
}

// FormatDownload is a file in another format, which was made for a download or is being made.
type FormatDownload struct {
	ResourceKey string           `bun:",pk"`
	Format      ConversionTarget `bun:",pk"`
	UserID      string           // the owner
	Key         string           `bun:",nullzero"` // in the form of a resource key; empty until it is made
	Bytes       int64
	Failure     string `bun:",nullzero"` // why it cannot be made
	EndsAt      Time

	// URL is where the caller can read the file; empty until it is made.
	URL string `bun:"-"`
	// Title is the title of the file, for people.
	Title string `bun:"-"`
}

// State says whether the format is made.
func (d *FormatDownload) State() PreparationState {
	switch {
	case d.Key != "":
		return StepReady
	case d.Failure != "":
		return StepFailed
	default:
		return StepPending
	}
}

// StorageKey returns the key of the format in the store, once it is made.
func (d *FormatDownload) StorageKey() string { return d.UserID + "/" + d.Key }

// RequestDownload is the input of requestDownload.
type RequestDownload struct {
	SpaceID, EntityID string
	Format            ConversionTarget
}

// Check refuses a format that the file is not offered in.
func (in RequestDownload) Check(file *File) error {
	return checkOneOf("format", in.Format, file.DownloadTargets())
}

// FormatName returns the name of the file in another format.
func (f *File) FormatName(format ConversionTarget) string {
	return safeName(format.ResultName(f.Title() + ".ply"))
}
