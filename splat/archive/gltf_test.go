package archive_test

import (
	"slices"
	"testing"

	"portico/splat/splattest"
)

func TestGLTF_keeps_files_that_it_names(t *testing.T) {
	t.Parallel()
	const manifest = `{"asset":{"version":"2.0"},
"buffers":[{"uri":"scene.bin","byteLength":1},{"uri":"data:application/octet-stream;base64,AA=="},{"byteLength":1}],
"images":[{"uri":"textures/base%20colour%C3%A9.png"},{"bufferView":0,"mimeType":"image/png"},{"uri":"./textures/../100%.png"},{"uri":"10:30.png"}]}`
	pairs := []string{
		"model/scene.gltf", manifest, "model/scene.bin", "b", "model/textures/base colouré.png", "p",
		"model/100%.png", "p", "model/unused.png", "p", "licence.txt", "l",
	}
	_, _, err := unpack(t, splattest.Zip(files(pairs...)...))
	wantInputError(t, err, "model/scene.gltf", `address "10:30.png"`)

	pairs[1] = manifest[:len(manifest)-len(`,{"uri":"10:30.png"}]}`)] + "]}"
	_, extracted, err := unpack(t, splattest.Zip(files(pairs...)...))
	if err != nil {
		t.Fatalf("unpack: %v", err)
	}
	want := []string{"scene.bin", "textures/base colouré.png", "100%.png", "scene.gltf"}
	if !slices.Equal(extracted.names, want) {
		t.Errorf("files: got %q, want %q", extracted.names, want)
	}
}

func TestGLTF_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, manifest, reason string }{
		{"a buffer that is missing", `{"buffers":[{"uri":"gone.bin"}]}`, `refers to "gone.bin", which is not in the archive`},
		{"an image that is missing", `{"images":[{"uri":"a%20b.png"}]}`, `refers to "a b.png", which is not in the archive`},
		{"a file outside", `{"images":[{"uri":"../outside.png"}]}`, "outside the archive"},
		{"a file outside by an escape", `{"images":[{"uri":"%2e%2e/outside.png"}]}`, "outside the archive"},
		{"an absolute path", `{"images":[{"uri":"/outside.png"}]}`, "absolute"},
		{"an address", `{"images":[{"uri":"https://example.com/a.png"}]}`, `refers to the address "https://example.com/a.png"`},
		{"an address without a scheme", `{"buffers":[{"uri":"//example.com/a.bin"}]}`, "refers to the address"},
		{"a local file", `{"buffers":[{"uri":"file:///etc/passwd"}]}`, "refers to the address"},
		{"invalid JSON", "glTF", "its JSON cannot be read"},
		{"another form", `{"buffers":{"uri":"x"}}`, "its JSON cannot be read"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := unpack(t, splattest.Zip(files("m/scene.gltf", test.manifest, "outside.png", "x")...))
			wantInputError(t, err, "m/scene.gltf", test.reason)
		})
	}
}
