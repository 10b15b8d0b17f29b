package door

import (
	"net/http"
	"path"
	"strings"

	"portico/storage"
)

// SetObjectHeaders sets the headers of an object. The sandbox and nosniff make it inert when a
// browser opens it: a stranger may have written it, and it may share the origin of our pages. In
// the sandbox an SVG runs no script, so an isolated origin serves it as what it is.
func SetObjectHeaders(h http.Header, object storage.Object, isolated bool) {
	h.Set("ETag", object.ETag)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	mediaType, shown := storage.ServedType(object.Key, isolated)
	if isolated && IsSVG(object.Key) {
		mediaType, shown = "image/svg+xml", true
	}
	h.Set("Content-Type", mediaType)
	if !shown {
		h.Set("Content-Disposition", "attachment")
	}
}

// IsSVG reports whether the object is an SVG, by its name.
func IsSVG(key string) bool { return strings.EqualFold(path.Ext(key), ".svg") }
