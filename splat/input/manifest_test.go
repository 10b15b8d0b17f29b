package input_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"portico/splat/folder"
	"portico/splat/input"
)

func TestReadManifest_refuses_a_missing_or_large_file(t *testing.T) {
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

// shortFile is a file whose end the store has lost.
type shortFile struct{ folder.File }

// Size implements folder.File.
func (f shortFile) Size() int64 { return f.File.Size() + 1 }

// shortFiles opens every file as a shortFile.
type shortFiles struct{ folder.Reader }

// Open implements folder.Reader.
func (r shortFiles) Open(ctx context.Context, name string) (folder.File, error) {
	file, err := r.Reader.Open(ctx, name)
	return shortFile{file}, err
}

// An end that the store has lost is not the user's fault.
func TestReadManifest_whose_end_is_lost(t *testing.T) {
	t.Parallel()
	files := shortFiles{folder.Memory{"meta.json": []byte("{}")}}
	_, err := input.ReadManifest(t.Context(), files, "meta.json", 100)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("meta.json: got %v, want %v", err, io.ErrUnexpectedEOF)
	}
	if fault, ok := errors.AsType[*input.Error](err); ok {
		t.Errorf("meta.json: got the user's fault %v, want an error of the server", fault)
	}
}
