package storage

import (
	"path"
	"strings"
)

// anyBytes is the type of everything that has no better one. Browsers neither
// show nor run it.
const anyBytes = "application/octet-stream"

// MediaType returns the media type of a key, by its extension in any case, or
// application/octet-stream. It never returns a type that a browser runs: no
// HTML, no SVG, no script.
func MediaType(key string) string {
	mediaType, _ := mediaTypeOf(key)
	return mediaType
}

// mediaTypeOf also says whether the extension is one of ours; anything else is
// only ever offered as a download. The table is ours and not the system's,
// because mime.TypeByExtension differs from machine to machine.
func mediaTypeOf(key string) (mediaType string, known bool) {
	switch extensionOf(key) {
	case ".ply", ".spz", ".splat", ".ksplat", ".sog", ".bin":
		return anyBytes, true
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
	return anyBytes, false
}

// servedType returns the type that an object is served as: its MediaType, and for a
// module a script's, where files do not share an origin with pages that it could take
// over.
func servedType(key string, isolated bool) string {
	if isolated && isModule(key) {
		return "text/javascript"
	}
	return MediaType(key)
}

// isModule reports whether the key is one of the scripts among the accepted formats (API section 2).
func isModule(key string) bool { return extensionOf(key) == ".mjs" }

func extensionOf(key string) string { return strings.ToLower(path.Ext(key)) }
