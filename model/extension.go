package model

import (
	"path"
	"strings"
)

// FileKind is the kind of content of a file, judged by its extension.
type FileKind string

// The kinds of files that spaces show.
const (
	KindCapture FileKind = "capture" // 3D Gaussians, or another point cloud or mesh in a PLY
	KindModel   FileKind = "model"   // a glTF, which may also contain Gaussians
	KindImage   FileKind = "image"
	KindVideo   FileKind = "video"
	KindSound   FileKind = "sound"
	KindPlugin  FileKind = "plugin"
)

// extensionFlags are properties of all files with an extension.
type extensionFlags uint8

const (
	// accepted: files may be uploaded, unless the operator chooses other extensions.
	accepted extensionFlags = 1 << iota
	// inspected: package splat reads the format.
	inspected
	// convertible: one file with a capture, which may be converted before it is inspected.
	convertible
	// gaussians: one file that may contain Gaussians and needs no other file.
	gaussians
	// gaussiansOnly: a file always contains Gaussians, and never levels of detail.
	gaussiansOnly
	// yDown: a file contains Gaussians with the y axis down, as their trainers write them.
	yDown
)

// capture combines the properties of a format that contains nothing but one capture.
const capture = accepted | inspected | convertible | gaussians | gaussiansOnly | yDown

// extension is an entry of extensions.
type extension struct {
	name  string // lower case, with its dot
	kind  FileKind
	flags extensionFlags
}

// extensions is the only list of extensions in the server. What a file is called decides until
// its facts are known. The accepted extensions are in the order in which the API lists them
// (API section 2). Media types are in storage.MediaType: they say how a file is served.
var extensions = []extension{
	{".ply", KindCapture, capture &^ gaussiansOnly}, // or a mesh
	{".glb", KindModel, accepted | inspected | gaussians},
	{".gltf", KindModel, accepted | inspected},
	{".spz", KindCapture, capture},
	{".splat", KindCapture, capture},
	{".ksplat", KindCapture, capture},
	{".sog", KindCapture, capture},
	{".zip", "", accepted},
	{".jpg", KindImage, accepted | inspected},
	{".jpeg", KindImage, accepted | inspected},
	{".png", KindImage, accepted | inspected},
	{".gif", KindImage, accepted | inspected},
	{".webp", KindImage, accepted | inspected},
	{".mjs", KindPlugin, accepted},
	{".path", "", accepted},
	{".json", "", accepted},
	{".bin", "", accepted},
	{".mp3", KindSound, accepted},
	{".ogg", KindSound, accepted},
	{".wav", KindSound, accepted},
	{".mp4", KindVideo, accepted},
	{".webm", KindVideo, accepted},
	{".html", "", accepted | convertible}, // a page with a capture inside
	{".lcc", KindCapture, 0},              // extracted from a zip
	{".lcc2", KindCapture, inspected | yDown},
}

// DefaultFormats are the extensions of files that may be uploaded, without dots.
var DefaultFormats = acceptedFormats()

func acceptedFormats() (formats []string) {
	for _, e := range extensions {
		if e.flags&accepted != 0 {
			formats = append(formats, strings.TrimPrefix(e.name, "."))
		}
	}
	return formats
}

// extensionOf returns the entry for the extension of a file name or a key, in any case. For an
// extension that is not listed, it returns an entry with only the name.
func extensionOf(name string) extension {
	found := strings.ToLower(path.Ext(name))
	for _, e := range extensions {
		if e.name == found {
			return e
		}
	}
	return extension{name: found}
}

// has reports whether the files have a property.
func (e extension) has(flag extensionFlags) bool { return e.flags&flag != 0 }

// KindOf returns the kind of a file with this name; empty for a file that spaces do not show.
func KindOf(name string) FileKind { return extensionOf(name).kind }

// IsInspectable reports whether to inspect the file, judged by its name. This saves starting a
// child process for each text or sound. A .json file is inspected if it is the index of a folder.
func (f *File) IsInspectable() bool {
	e := extensionOf(f.ResourceKey)
	return e.has(inspected) || e.name == ".json" && f.Objects > 1
}

// MayHaveView reports whether the file may get a view, judged by its name.
func (f *File) MayHaveView() bool { return f.Objects == 1 && extensionOf(f.ResourceKey).has(gaussians) }
