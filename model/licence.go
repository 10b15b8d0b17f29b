package model

import (
	"path"
	"slices"
	"strings"
)

// Licence is a licence of Creative Commons, under which visitors may download what is in a space.
type Licence struct {
	// Code is the identifier of SPDX, the value of SpaceTexts.Licence.
	Code string
	// Name is what people call the licence, in any language.
	Name string
	// URL is the address of its text.
	URL string
}

// licences are the licences that an owner can choose.
var licences = []Licence{
	{"CC0-1.0", "CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"},
	{"CC-BY-4.0", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"},
	{"CC-BY-SA-4.0", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"},
	{"CC-BY-NC-4.0", "CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"},
	{"CC-BY-NC-SA-4.0", "CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"},
	{"CC-BY-ND-4.0", "CC BY-ND 4.0", "https://creativecommons.org/licenses/by-nd/4.0/"},
	{"CC-BY-NC-ND-4.0", "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"},
}

// Licences returns the licences that an owner can choose.
func Licences() []Licence { return slices.Clone(licences) }

// LicenceOf returns the licence with this code; nil for "" and for any other text.
func LicenceOf(code string) *Licence {
	for _, licence := range licences {
		if licence.Code == code {
			return &licence
		}
	}
	return nil
}

// Download is a capture or a model of a space that a caller may take away: a file, or a folder as a zip.
type Download struct {
	EntityID string
	File     *File
	// View reports whether it is the view that was made of the file, and not the file itself.
	View bool
	// Formats are the other formats in which the caller may ask for it.
	Formats []ConversionTarget
	// Bytes is its size; 0 where it is not known.
	Bytes int64
	// URL is where the caller can read the file; empty for a folder.
	URL string
}

// IsDownloadable reports whether spaces offer the file for download: a capture or a model.
func (f *File) IsDownloadable() bool {
	kind := KindOf(f.ResourceKey)
	return f.IsSplat() || kind == KindCapture || kind == KindModel
}

// StorageKey returns the key of the file, or of the first one of a folder.
func (d *Download) StorageKey() string {
	if d.View {
		return d.File.ViewStorageKey()
	}
	return d.File.StorageKey()
}

// Folder returns the prefix of the keys of a folder; empty for a single file. A view is one file, or
// the folder of a streamed SOG.
func (d *Download) Folder() string {
	key := d.StorageKey()
	if d.View && path.Ext(key) == ".json" || !d.View && d.File.Objects > 1 {
		return path.Dir(key) + "/"
	}
	return ""
}

// Format returns the extension of the download, in capital letters, or the name of its format.
func (d *Download) Format() string {
	switch key := d.StorageKey(); {
	case path.Base(key) == "lod-meta.json":
		return "Streamed SOG"
	case path.Base(key) == "meta.json":
		return "SOG"
	default:
		return strings.ToUpper(strings.TrimPrefix(path.Ext(key), "."))
	}
}

// ZipName returns the name of the zip of a folder.
func (d *Download) ZipName() string { return d.File.Title() + ".zip" }
