package model

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// ConversionTarget is the format that a capture is converted to; empty for none.
type ConversionTarget string

// The targets.
const (
	ConvertToSOG         ConversionTarget = "sog"          // one bundle
	ConvertToStreamedSOG ConversionTarget = "streamed-sog" // levels of detail in chunks, loaded when they come into view
)

// Validate refuses an unknown target. The error names field.
func (t ConversionTarget) Validate(field string) error {
	switch t {
	case ConvertToSOG, ConvertToStreamedSOG:
		return nil
	}
	return InvalidField(field, fmt.Sprintf("must be one of %s, %s", ConvertToSOG, ConvertToStreamedSOG))
}

// convertible are the formats that can be converted: captures in a single file.
var convertible = []FileFormat{FormatPLY, FormatCompressedPLY, FormatSPZ, FormatSplat, FormatKSplat, FormatSOG}

// convertibleNames are the extensions of those formats.
var convertibleNames = []string{".ply", ".spz", ".splat", ".ksplat", ".sog"}

// The refusals of a conversion. Each starts with the name of the input.
const (
	notConvertible    = "%s: only .ply, .spz, .splat, .ksplat and .sog files with Gaussians can be converted; a zip with an LCC capture is, unasked"
	alreadyConverted  = "%s: the file is SOG already"
	damagedConversion = "%s: the file is damaged: %s"
)

// checkNamed refuses the conversion of a file with this name, the only thing known of a
// file before its upload.
func (t ConversionTarget) checkNamed(field, fileName string) error {
	if err := t.Validate(field); err != nil {
		return err
	}
	extension := strings.ToLower(path.Ext(fileName))
	switch {
	case !slices.Contains(convertibleNames, extension):
		return Invalidf(notConvertible, field).On(field)
	case t == ConvertToSOG && extension == ".sog":
		return Invalidf(alreadyConverted, field).On(field)
	}
	return nil
}

// CheckConversion refuses a conversion that cannot succeed, judged by the file's facts, or
// by its name before it was inspected.
func (f *File) CheckConversion(to ConversionTarget) error {
	const field = "resource_key"
	if err := to.Validate("to"); err != nil {
		return err
	}
	switch facts := f.Facts; {
	case facts == nil && f.Objects == 1:
		return to.checkNamed(field, f.ResourceKey)
	case facts == nil:
		return Invalidf(notConvertible, field).On(field)
	case facts.Format == FormatInvalid:
		return Invalidf(damagedConversion, field, facts.Fault).On(field)
	case to == ConvertToSOG && facts.Format == FormatSOG:
		return Invalidf(alreadyConverted, field).On(field)
	case !slices.Contains(convertible, facts.Format) || f.Objects > 1:
		return Invalidf(notConvertible, field).On(field)
	}
	return nil
}

// NewConversion returns a job that converts the file, which stays, and an upload for the
// result. The upload is in processing and has no bytes of its own.
func NewConversion(file *File, to ConversionTarget) (*Upload, *Job) {
	upload := NewUpload(file.UserID, CreateUpload{FileName: file.Name, ContentType: file.ContentType, ConvertTo: to})
	upload.State, upload.ExpiresAt = UploadProcessing, upload.CreatedAt
	job := NewJob(upload)
	job.Type, job.SourceKey = JobFile, file.ResourceKey
	upload.JobID = job.ID
	return upload, job
}
