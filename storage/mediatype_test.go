package storage

import (
	"mime"
	"strings"
	"testing"
)

func TestMediaType_is_inert_for_what_a_browser_would_run(t *testing.T) {
	t.Parallel()
	tests := []struct{ key, want string }{
		{"1/a.ply", "application/octet-stream"},
		{"1/a.spz", "application/octet-stream"},
		{"1/a.sog", "application/octet-stream"},
		{"1/a.bin", "application/octet-stream"},
		{"1/a.glb", "model/gltf-binary"},
		{"1/a.gltf", "model/gltf+json"},
		{"1/a.json", "application/json"},
		{"1/a.lcc", "application/json"},
		{"1/a.lcc2", "application/json"},
		{"1/a.zip", "application/zip"},
		{"1/a.jpg", "image/jpeg"},
		{"1/A.JPEG", "image/jpeg"},
		{"1/a.png", "image/png"},
		{"1/a.gif", "image/gif"},
		{"1/a.webp", "image/webp"},
		{"1/a.mp3", "audio/mpeg"},
		{"1/a.ogg", "audio/ogg"},
		{"1/a.wav", "audio/wav"},
		{"1/a.mp4", "video/mp4"},
		{"1/a.webm", "video/webm"},
		{"1/a.mjs", "application/octet-stream"},
		{"1/a.path", "application/octet-stream"},
		{"1/a.html", "application/octet-stream"},
		{"1/a.svg", "application/octet-stream"},
		{"1/a.js", "application/octet-stream"},
		{"1/a.png.xhtml", "application/octet-stream"},
		{"1/a", "application/octet-stream"},
		{"1.png/a", "application/octet-stream"},
	}
	for _, tt := range tests {
		if got := MediaType(tt.key); got != tt.want {
			t.Errorf("MediaType(%q) = %q, want %q", tt.key, got, tt.want)
		}
		if _, _, err := mime.ParseMediaType(tt.want); err != nil || strings.HasPrefix(tt.want, "text/") {
			t.Errorf("%q is not an inert media type: %v", tt.want, err)
		}
	}
}
