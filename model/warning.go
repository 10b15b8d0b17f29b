package model

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// WarningWholeZip is the warning of a zip that was not extracted.
const WarningWholeZip = "The file is a zip without a manifest that viewers know (.lcc2, .lcc, lod-meta.json, " +
	"meta.json or .gltf) and not of one capture, so it cannot be viewed. Upload a zip with a manifest or one capture"

// warningSeveralCaptures is the warning of a zip with these captures.
const warningSeveralCaptures = "The zip has several captures: %s. Choose one of them on the page of the file"

// maxNamedCaptures is the maximum number of captures that the warning names.
const maxNamedCaptures = 8

// Warning returns the reason why spaces cannot show the file; nil if none is known. Damage is known
// once the file was inspected, soon after its upload.
func (f *File) Warning() *string {
	var text string
	switch {
	case len(f.Captures) > 0:
		text = fmt.Sprintf(warningSeveralCaptures, f.captureNames())
	case strings.EqualFold(path.Ext(f.ResourceKey), ".zip"):
		text = WarningWholeZip
	case f.Facts != nil && f.Facts.Format == FormatInvalid:
		text = fmt.Sprintf("The file is damaged and may not be viewable: %s", f.Facts.Fault)
	default:
		return nil
	}
	return &text
}

// captureNames returns the names of the first captures of a zip, quoted.
func (f *File) captureNames() string {
	var names []string
	for _, capture := range f.Captures[:min(len(f.Captures), maxNamedCaptures)] {
		names = append(names, strconv.Quote(capture.Name))
	}
	if more := len(f.Captures) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// CompletedMessage returns the last message of the job that made the file, with the warning
// if there is one.
func (f *File) CompletedMessage() string {
	if warning := f.Warning(); warning != nil {
		return "Completed. " + *warning
	}
	return "Completed"
}
