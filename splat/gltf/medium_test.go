package gltf_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/input"
)

// broken is a folder whose medium is gone for some names.
type broken struct {
	folder.Memory
	name string
	err  error
}

// Open implements folder.Reader.
func (b broken) Open(ctx context.Context, name string) (folder.File, error) {
	f, err := b.Memory.Open(ctx, name)
	if name == b.name && err == nil {
		return failing{f, b.err}, nil
	}
	return f, err
}

// failing is a file that cannot be read.
type failing struct {
	folder.File
	err error
}

// ReadAt implements io.ReaderAt.
func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// refusing is a folder in which a file cannot be opened.
type refusing struct {
	folder.Memory
	name string
	err  error
}

// Open implements folder.Reader.
func (r refusing) Open(ctx context.Context, name string) (folder.File, error) {
	if name == r.name {
		return nil, r.err
	}
	return r.Memory.Open(ctx, name)
}

func TestInspect_reports_a_failing_medium_as_ours(t *testing.T) {
	t.Parallel()
	files := folder.Memory{"a.gltf": []byte(external("a.bin")), "a.bin": []byte(data), "a.glb": glb(chunk{"JSON", triangle})}
	gone := errors.New("connection reset")
	for name, try := range map[string]func() error{
		"a file that cannot be read": func() error {
			_, err := gltf.Inspect(t.Context(), broken{files, "a.gltf", gone}, "a.gltf")
			return err
		},
		"a file that ends early": func() error {
			_, err := gltf.Inspect(t.Context(), broken{files, "a.glb", io.EOF}, "a.glb")
			return err
		},
		"a file that is not there": func() error {
			_, err := gltf.Inspect(t.Context(), files, "b.gltf")
			return err
		},
		"data that cannot be opened": func() error {
			_, err := gltf.Inspect(t.Context(), refusing{files, "a.bin", fs.ErrPermission}, "a.gltf")
			return err
		},
	} {
		err := try()
		if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
			t.Errorf("%s: got %v, want an error that does not blame the file", name, err)
		}
	}
}

func TestInspect_ends_with_its_context(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, files := range map[string]folder.Memory{
		"GLB":   {"a": glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data})},
		"files": {"a": []byte(external("a.bin")), "a.bin": []byte(data)},
		"tree":  {"a": []byte(external("data:," + data))},
	} {
		if _, err := gltf.Inspect(canceled, files, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
}

// FuzzInspect checks that every fault is an input.Error, and that counts
// stay what they are.
func FuzzInspect(f *testing.F) {
	f.Add(glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data}))
	for _, json := range []string{
		triangle, external("a.bin"), external("data:;base64,AAAA"), external("../a.bin"),
		strings.Replace(triangle, `"type":"SCALAR"`, sparse(1, 0, 0, 5121, 1, 0), 1),
		strings.Replace(triangle, `[{"mesh":0}]`, `[{"children":[1],"matrix":[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6]},{"mesh":0,"rotation":[0,1,0,0]}]`, 1),
		`{"asset":{"version":"2.0"},"images":[{"uri":"a.bin"}],"textures":[{"source":0}],"extensionsUsed":["A"]}`,
	} {
		f.Add([]byte(json))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := gltf.Inspect(t.Context(), folder.Memory{"m/a": b, "m/a.bin": []byte(data)}, "m/a")
		if err != nil {
			if _, ok := errors.AsType[*input.Error](err); !ok {
				t.Fatalf("got %v, want an error that names the file", err)
			}
			return
		}
		if got.Vertices < 0 || got.Triangles < 0 || got.Splats < 0 || got.Nodes+got.Meshes+got.Primitives+got.Images > len(b) {
			t.Errorf("got %+v of %d bytes", got, len(b))
		}
		if b := got.Bounds; b != nil {
			for axis := range 3 {
				if size := b.Max[axis] - b.Min[axis]; math.IsNaN(size) || size < 0 {
					t.Errorf("bounds: got %v", b)
				}
			}
		}
	})
}
