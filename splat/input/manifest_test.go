package input_test

import (
	"errors"
	"testing"

	"portico/splat/folder"
	"portico/splat/input"
)

func TestReadManifest(t *testing.T) {
	t.Parallel()
	files := folder.Memory{"meta.json": []byte("{}"), "large.json": make([]byte, 101)}
	if got, err := input.ReadManifest(t.Context(), files, "meta.json", 100); err != nil || string(got) != "{}" {
		t.Errorf("meta.json: got %q, %v, want {}", got, err)
	}
	for name, want := range map[string]string{
		"none.json":  `"none.json" is missing. Upload the capture with all its files.`,
		"large.json": `"large.json" is too large: it has 101 bytes, at most 100 can be read`,
	} {
		_, err := input.ReadManifest(t.Context(), files, name, 100)
		if fault, ok := errors.AsType[*input.Error](err); !ok || fault.Error() != want {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
