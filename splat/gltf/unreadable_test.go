package gltf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/gltf"
	"portico/splat/input"
)

func TestOpen_keeps_the_facts_of_Gaussians_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	const prefix = "KHR_gaussian_splatting:"
	documentWith := func(change map[string]func(d *document) int, from, to string) []byte {
		return bytes.Replace(one(change).json(t), []byte(from), []byte(to), 1)
	}
	stretched := one(nil)
	stretched.nodes = []any{map[string]any{"mesh": 0, "scale": []int{1, 2, 1}}}
	mirrored := one(nil)
	mirrored.nodes = []any{map[string]any{"mesh": 0, "scale": []int{-1, 1, 1}}}
	many := one(nil)
	children := []int{}
	for i := range 1100 {
		children = append(children, i+1)
		many.nodes = append(many.nodes, map[string]any{"mesh": 0})
	}
	many.nodes = append([]any{map[string]any{"children": children}}, many.nodes...)
	few := one(nil)
	few.nodes = append([]any{map[string]any{"children": children[:400]}}, many.nodes[1:401]...)
	for name, test := range map[string]struct {
		content []byte
		reason  string
	}{
		"no scale":                 {documentWith(map[string]func(d *document) int{prefix + "SCALE": nil}, "", ""), "do not have all attributes"},
		"another type":             {documentWith(map[string]func(d *document) int{prefix + "SCALE": func(d *document) int { return d.floats("SCALAR", 1, 1) }}, "", ""), "has values of type"},
		"another number":           {documentWith(map[string]func(d *document) int{prefix + "SCALE": func(d *document) int { return d.floats("VEC3", 3, 1, 1, 1, 1, 1, 1) }}, "", ""), "has 2 values"},
		"an accessor out of range": {documentWith(nil, `:SCALE":2`, `:SCALE":99`), "refers to accessor 99"},
		"an SPZ view out of range": {documentWith(nil, `"kernel":"ellipse"`, `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":77}}`), "refer to buffer view 77"},
		"invalid SPZ":              {documentWith(nil, `"kernel":"ellipse"`, `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":0}}`), "is not an SPZ file"},
		"an extension of text":     {documentWith(nil, `{"kernel":"ellipse"}`, `"yes"`), "cannot be read"},
		"a stretched node":         {stretched.json(t), "stretches or mirrors"},
		"a mirrored node":          {mirrored.json(t), "stretches or mirrors"},
		"too many nodes":           {many.json(t), "1100 primitives with Gaussians"},
		"data that is used often":  {few.json(t), "uses its data more than 16 times"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := gltf.Open(t.Context(), folder.Memory{"a.gltf": test.content}, "a.gltf")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, ok := errors.AsType[*input.Error](f.Fault); !ok || !strings.Contains(f.Fault.Error(), test.reason) || f.HasGaussians() {
				t.Errorf("fault: got %v, want %q", f.Fault, test.reason)
			}
			if f.Facts == nil || f.Facts.Splats == 0 {
				t.Errorf("facts: got %+v, want the number of splats", f.Facts)
			}
		})
	}
}

// FuzzOpen reads the Gaussians of any file. Every fault must be an input.Error.
func FuzzOpen(f *testing.F) {
	f.Add(write(f, cloud(2, 1)))
	f.Add(one(nil).json(f))
	f.Add(compress(f, write(f, cloud(2, 0))))
	f.Add(five(replaceTwo(1, 3)).json(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		opened, err := gltf.Open(t.Context(), folder.Memory{"a": b}, "a")
		if err != nil {
			wantFileFault(t, err)
			return
		}
		defer opened.Close()
		if !opened.HasGaussians() {
			return
		}
		n := opened.Levels()[0]
		if n > 16*len(b) {
			t.Fatalf("Gaussians: got %d in %d bytes", n, len(b))
		}
		wantFileFault(t, opened.Positions(t.Context(), 0, make([]float32, 3*n), nil))
		c := &gaussian.Cloud{}
		if err := opened.Read(t.Context(), 0, []uint32{0, uint32(n - 1)}, c); err != nil {
			wantFileFault(t, err)
		}
	})
}

// wantFileFault checks that an error is about the file. The medium cannot fail.
func wantFileFault(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
		t.Fatalf("got %v, want an error that names the file", err)
	}
}
