package view

import (
	"archive/zip"
	"errors"
	"io"

	"portico/model"
	"portico/splat/archive"
	"portico/splat/input"
)

// OpenArchive returns the zip archive in a request body of size bytes. An archive with more entries
// than maxEntries, or with a directory of more than maxDirectory bytes, is refused as too large
// before its directory takes memory.
func OpenArchive(body io.ReaderAt, size int64, maxEntries int, maxDirectory int64) (*zip.Reader, error) {
	opened, err := archive.OpenStandard(body, size, archive.Limits{Entries: maxEntries, DirectoryBytes: maxDirectory})
	if fault, ok := errors.AsType[*input.Error](err); ok {
		return nil, model.TooLargef("%s", fault.Message) // its advice is for captures
	}
	if err != nil {
		return nil, model.Invalidf("Request body must be a zip archive")
	}
	return opened, nil
}
