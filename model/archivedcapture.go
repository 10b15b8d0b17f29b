package model

import (
	"slices"
	"strings"
	"unicode/utf8"
)

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
