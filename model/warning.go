package model

import (
	"fmt"
	"path"
	"strings"
)

// WarningWholeZip is the warning of a zip that was kept whole.
const WarningWholeZip = "The file is a zip without a manifest that viewers know (.lcc2, .lcc, lod-meta.json, " +
	"meta.json or .gltf) and not of one capture, so it cannot be viewed. Upload a zip with a manifest or one capture"

// Warning says why a space or an entity that shows the file will show nothing; nil
// where nothing is known against it. What is wrong inside of a file is known once
// it was looked into, soon after its upload.
func (f *File) Warning() *string {
	var text string
	switch {
	case strings.EqualFold(path.Ext(f.ResourceKey), ".zip"):
		text = WarningWholeZip
	case f.Facts != nil && f.Facts.Format == FormatInvalid:
		text = fmt.Sprintf("The file is damaged and may not be viewable: %s", f.Facts.Fault)
	default:
		return nil
	}
	return &text
}

// CompletedMessage is the last message of the job that made the file. It says where
// the file is not what its owner will have expected.
func (f *File) CompletedMessage() string {
	if warning := f.Warning(); warning != nil {
		return "Completed. " + *warning
	}
	return "Completed"
}
