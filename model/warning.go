package model

import (
	"fmt"
	"path"
	"strings"
)

// WarningWholeZip is the warning of a zip that was not extracted.
const WarningWholeZip = "The file is a zip without a manifest that viewers know (.lcc2, .lcc, lod-meta.json, " +
	"meta.json or .gltf) and not of one capture, so it cannot be viewed. Upload a zip with a manifest or one capture"

// Warning returns the reason why spaces cannot show the file; nil if none is known. Damage is known
// once the file was inspected, soon after its upload.
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

// CompletedMessage returns the last message of the job that made the file, with the warning
// if there is one.
func (f *File) CompletedMessage() string {
	if warning := f.Warning(); warning != nil {
		return "Completed. " + *warning
	}
	return "Completed"
}
