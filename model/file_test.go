package model

import (
	"testing"
	"unicode/utf8"
)

func TestFile_Title(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"model.glb": "model", "My Model.v2.glb": "My Model.v2", "Türe 🚪.zip": "Türe 🚪", `C:\a\b.ply`: "b", "../b.ply": "b",
		".glb": UntitledSpace, "  .glb": UntitledSpace, "noextension": "noextension", " a .glb": "a", "guitar.compressed.ply": "guitar", ".compressed.ply": UntitledSpace,
	} {
		got := (&File{Name: name}).Title()
		if got != want || !utf8.ValidString(got) {
			t.Errorf("title of %q: got %q, want %q", name, got, want)
		}
	}
}

func TestFile_Extracted(t *testing.T) {
	t.Parallel()
	upload := NewUpload("12345678", CreateUpload{FileName: "scan.zip", FileSize: 1, ContentType: "application/zip"})
	for key, want := range map[string]bool{
		upload.ResourceKey:                   false,
		upload.ExtractedRoot() + "scan.lcc2": true,
	} {
		if got := (&File{ResourceKey: key}).IsExtracted(upload); got != want {
			t.Errorf("IsExtracted of %s: got %v, want %v", key, got, want)
		}
	}
}

func TestFile_IsInspectable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key           string
		size, objects int64
		want          bool
	}{
		{"a/scan.ply", 1 << 30, 1, true},
		{"a/lod-meta.json", 5000, 9, true},
		{"a/data.json", 500, 1, false},
		{"a/walk.mp4", 1 << 20, 1, false},
		{"a/walk.mp4", 133, 1, true}, // a Git LFS pointer, perhaps
		{"a/plugin.mjs", 1024, 1, true},
		{"a/plugin.mjs", 1025, 1, false},
	} {
		f := File{ResourceKey: test.key, Size: test.size, Objects: int(test.objects)}
		if got := f.IsInspectable(); got != test.want {
			t.Errorf("%s of %d bytes in %d objects: got %v, want %v", test.key, test.size, test.objects, got, test.want)
		}
	}
}
