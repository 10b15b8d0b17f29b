package splat_test

import (
	"errors"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 48210331\n"

// A clone without its large files has pointers with the names of the files.
func TestOpen_recognises_pointers_of_Git_LFS(t *testing.T) {
	t.Parallel()
	wantPointer := func(t *testing.T, files folder.Memory, name, pointer string) {
		t.Helper()
		_, err := splat.Inspect(t.Context(), files, name)
		want := `"` + pointer + `" is a Git LFS pointer, not the file itself. Run git lfs pull and upload the file that is there then.`
		fault, ok := errors.AsType[*splat.InputError](err)
		if !ok || fault.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	for _, name := range []string{
		"a.ply", "a.compressed.ply", "a.spz", "a.splat", "a.ksplat", "a.sog", "meta.json", "lod-meta.json", "a.lcc", "a.lcc2",
		"a.glb", "a.gltf", "a.html", "a.jpg", "a.png", "a.webp", "a.mp4", "a.bin", "a",
	} {
		wantPointer(t, folder.Memory{name: []byte(pointer)}, name, name)
	}
	capture := folder.Memory(scene().Memory())
	capture["data.bin"] = []byte(pointer)
	wantPointer(t, capture, splattest.LCCManifest, "data.bin")
}

// A text about pointers is no pointer, and neither is a small file.
func TestOpen_does_not_take_texts_for_pointers(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"long.txt": pointer + strings.Repeat("x", 1024), "about.txt": "# " + pointer, "cut.txt": pointer[:20], "empty.txt": "",
	} {
		facts, err := splat.Inspect(t.Context(), folder.Memory{name: []byte(content)}, name)
		if err != nil || facts.Format != splat.FormatOther {
			t.Errorf("%s: got %+v, %v, want another file", name, facts, err)
		}
	}
}
