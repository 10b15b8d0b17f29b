package model

import (
	"path"
	"strings"
	"unicode/utf8"
)

// ConversionTarget is the format that a capture is converted to; empty for none.
type ConversionTarget string

// The targets, which have the names of the file formats. An upload can be converted to the first
// two only, because viewers load no other format.
const (
	ConvertToSOG           ConversionTarget = "sog"          // one bundle
	ConvertToStreamedSOG   ConversionTarget = "streamed-sog" // levels of detail in chunks, loaded when they come into view
	ConvertToPLY           ConversionTarget = "ply"
	ConvertToCompressedPLY ConversionTarget = "compressed-ply"
	ConvertToSPZ           ConversionTarget = "spz"
	ConvertToGLB           ConversionTarget = "glb"
	ConvertToCSV           ConversionTarget = "csv"       // a table, which no viewer reads
	ConvertToTurntable     ConversionTarget = "turntable" // an animated picture from all sides
)

// UploadTargets returns the targets that CreateUpload.ConvertTo accepts.
func UploadTargets() []ConversionTarget {
	return []ConversionTarget{ConvertToSOG, ConvertToStreamedSOG}
}

// ConversionTargets returns the targets that ConvertFile.To accepts.
func ConversionTargets() []ConversionTarget {
	return append(UploadTargets(), ConvertToPLY, ConvertToCompressedPLY, ConvertToSPZ, ConvertToGLB, ConvertToCSV, ConvertToTurntable)
}

// extension returns the extension of a file in the format; empty for a format of several
// files.
func (t ConversionTarget) extension() string {
	switch t {
	case ConvertToStreamedSOG:
		return ""
	case ConvertToCompressedPLY:
		return ".compressed.ply"
	case ConvertToTurntable:
		return ".webp"
	}
	return "." + string(t)
}

// ResultName returns the name of the first file of a conversion, from the name of the file
// that is converted.
func (t ConversionTarget) ResultName(name string) string {
	if t == ConvertToStreamedSOG {
		return "lod-meta.json"
	}
	return withExtension(stem(name), t.extension())
}

// ConvertedName returns the name of a converted file in lists, from the name of its source.
func (t ConversionTarget) ConvertedName(name string) string {
	if t == ConvertToStreamedSOG {
		return withExtension(stem(name), ".lod-meta.json")
	}
	return t.ResultName(name)
}

// withExtension returns the stem with the extension. It shortens the stem if the name would exceed
// maxFileName, because the extension decides how viewers and operating systems open the file.
func withExtension(stem, extension string) string {
	if kept := maxFileName - utf8.RuneCountInString(extension); utf8.RuneCountInString(stem) > kept {
		stem = string([]rune(stem)[:kept])
	}
	return stem + extension
}

// stem returns the name of a file without the extension, which may have two parts.
func stem(name string) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	return strings.TrimSuffix(strings.TrimSuffix(stem, ".compressed"), ".lod-meta")
}

// The refusals of a conversion. Each starts with the name of the input.
const (
	notConvertible    = "%s: only .ply, .spz, .splat, .ksplat, .sog and .html files with Gaussians can be converted; a zip with an LCC capture is converted automatically"
	noGaussians       = "%s: only files with Gaussians can be converted"
	alreadyConverted  = "%s: the file is already %s"
	damagedConversion = "%s: the file is damaged: %s"
)

// checkFileName refuses the conversion of a file with this name. Before the upload, only the name
// is known.
func (t ConversionTarget) checkFileName(field, fileName string) error {
	if err := checkOneOf(field, t, UploadTargets()); err != nil {
		return err
	}
	switch e := extensionOf(fileName); {
	case !e.has(convertible):
		return Invalidf(notConvertible, field).WithField(field)
	case t == ConvertToSOG && e.name == ".sog":
		return Invalidf(alreadyConverted, field, "SOG").WithField(field)
	}
	return nil
}

// ConvertFile is the input of convertFile.
type ConvertFile struct {
	ResourceKey string
	To          ConversionTarget
	// Edits are the changes of the capture, in the order in which they are applied.
	Edits []*EditInput
	// ReplaceIn is the entity that shows the result instead of the file when the job is completed;
	// nil for none.
	ReplaceIn *ReplaceIn
}

// ReplaceIn is an entity of the caller that shows the file of a conversion, and shows the result
// when the job is completed.
type ReplaceIn struct {
	SpaceID  string `json:"space_id" jsonschema:"The space."`
	EntityID string `json:"entity_id" jsonschema:"The entity, which must show the file."`
	Data     Object `json:"entity_data,omitempty" jsonschema:"Fields of the entity that change at the same time, such as its position after a change of the origin."`
}

// Replacement is a ReplaceIn in the row of a job.
type Replacement struct {
	ReplaceIn

	// Door is the door of the request, for the history of the space.
	Door string `json:"door,omitempty"`
	// LockToken is the token of the lock that the caller held; empty for none.
	LockToken string `json:"lock_token,omitempty"`
}

// Validate refuses data that could not be merged into the entity's. The errors have the names of
// an update of the entity.
func (in *ReplaceIn) Validate() error {
	if in.Data == nil {
		return nil
	}
	return checkData(replaceField+".entity_data", in.Data)
}

// replaceField is the name of ConvertFile.ReplaceIn in errors.
const replaceField = "replace_in"

// Check refuses an entity that does not show the file, which has this address. An entity of nil is
// one that the space does not have.
func (in *ReplaceIn) Check(entity *Entity, address string) error {
	const field = replaceField + ".entity_id"
	switch {
	case entity == nil:
		return NotFound(EntityNotFound).WithField(field)
	case entity.IsGate() || entity.Data.GLBURL() != address:
		return Invalidf("%s: the entity does not show the file", field).WithField(field)
	}
	return nil
}

// Check returns the edits in the form of a job. It refuses a conversion that cannot succeed, by
// the facts of the file, or by its name before it was inspected.
func (in ConvertFile) Check(file *File) (Edits, error) {
	if err := checkOneOf("to", in.To, ConversionTargets()); err != nil {
		return "", err
	}
	edits, err := newEdits(in.Edits)
	if err != nil {
		return "", err
	}
	const field = "resource_key"
	format, err := file.checkGaussians(field)
	if err != nil {
		return "", err
	}
	if edits == "" && format == FileFormat(in.To) {
		return "", Invalidf(alreadyConverted, field, in.To.title()).WithField(field)
	}
	return edits, nil
}

// checkGaussians refuses a file that is known to have no Gaussians, and returns its format.
// The error names field.
func (f *File) checkGaussians(field string) (FileFormat, error) {
	format := f.formatToConvert()
	switch {
	case f.Facts != nil && f.Facts.Format == FormatInvalid:
		return "", Invalidf(damagedConversion, field, f.Facts.Fault).WithField(field)
	case f.Facts != nil && f.Facts.Splats == 0:
		return "", Invalidf(noGaussians, field).WithField(field)
	case format == "":
		return "", Invalidf(notConvertible, field).WithField(field)
	}
	return format, nil
}

// formatToConvert returns the format of the file. Before the file was inspected it returns the
// format by its extension: empty if the file may not be a capture, and FormatOther for a PLY, whose
// name does not show whether it is compressed.
func (f *File) formatToConvert() FileFormat {
	if f.Facts != nil {
		return f.Facts.Format
	}
	switch e := extensionOf(f.ResourceKey); {
	case f.Objects > 1 || !e.has(convertible):
		return ""
	case e.name == ".ply":
		return FormatOther
	default:
		return FileFormat(e.name[1:])
	}
}

// title returns the name of the format in messages.
func (t ConversionTarget) title() string {
	switch t {
	case ConvertToStreamedSOG:
		return "streamed SOG"
	case ConvertToCompressedPLY:
		return "compressed PLY"
	case ConvertToGLB:
		return "binary glTF"
	}
	return strings.ToUpper(string(t))
}

// NewConversion returns a job that converts the file, and an upload for the result. The file is
// kept. The upload is in the state processing and has no bytes of its own.
func NewConversion(file *File, to ConversionTarget, edits Edits) (*Upload, *Job) {
	upload, job := newFileJob(file, CreateUpload{FileName: file.Name, ContentType: file.ContentType, ConvertTo: to})
	job.Type, job.Edits = JobFile, edits
	return upload, job
}

// newFileJob returns a job about a stored file, and the upload of its result.
func newFileJob(file *File, result CreateUpload) (*Upload, *Job) {
	upload := NewUpload(file.UserID, result)
	upload.State, upload.ExpiresAt = UploadProcessing, upload.CreatedAt
	job := NewJob(upload)
	job.SourceKey = file.ResourceKey
	upload.JobID = job.ID
	return upload, job
}
