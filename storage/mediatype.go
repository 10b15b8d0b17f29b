package storage

import (
	"path"
	"strings"
)

// octetStream is the type for everything else. Browsers neither show nor run it.
const octetStream = "application/octet-stream"

// MediaType returns the media type of a key, by its extension in any case, or
// application/octet-stream. It never returns a type that a browser runs: no
// HTML, no SVG, no script.
func MediaType(key string) string {
	mediaType, _ := mediaTypeOf(extensionOf(key))
	return mediaType
}

// ServedType returns the type with which an object is served, and whether browsers may show it; all
// other files are only offered as downloads. The type is the MediaType of the key, or that of what
// a plugin is made of if files have an isolated origin, where scripts cannot take over our pages.
// Browsers import these with no other type, and show them as text when they open them.
func ServedType(key string, isolated bool) (mediaType string, shown bool) {
	extension := extensionOf(key)
	if isolated {
		switch extension {
		case ".mjs", ".js":
			return "text/javascript", true
		case ".css":
			return "text/css", true
		case ".wasm":
			return "application/wasm", true
		}
	}
	return mediaTypeOf(extension)
}

// extensionOf returns the extension of a key in lower case with its dot, or "" if it has none.
func extensionOf(key string) string { return strings.ToLower(path.Ext(key)) }

// mediaTypeOf returns the type of an extension, and whether it is in our table. We do not use
// mime.TypeByExtension because its table differs from machine to machine.
func mediaTypeOf(extension string) (mediaType string, known bool) {
	switch extension {
	case ".ply", ".spz", ".splat", ".ksplat", ".sog", ".bin":
		return octetStream, true
	case ".glb":
		return "model/gltf-binary", true
	case ".gltf":
		return "model/gltf+json", true
	case ".json", ".lcc", ".lcc2":
		return "application/json", true
	case ".zip":
		return "application/zip", true
	case ".jpg", ".jpeg":
		return "image/jpeg", true
	case ".png":
		return "image/png", true
	case ".gif":
		return "image/gif", true
	case ".webp":
		return "image/webp", true
	case ".mp3":
		return "audio/mpeg", true
	case ".ogg":
		return "audio/ogg", true
	case ".wav":
		return "audio/wav", true
	case ".mp4":
		return "video/mp4", true
	case ".webm":
		return "video/webm", true
	}
	return octetStream, false
}
