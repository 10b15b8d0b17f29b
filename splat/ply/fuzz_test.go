package ply_test

import (
	"bytes"
	"errors"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ply"
)

// FuzzOpen opens and reads a file. Every fault must be an input.Error, and Gaussians
// must be what a cloud promises.
func FuzzOpen(f *testing.F) {
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
		f.Add(encode(encoding, gaussians(randomCloud(2, 1), typedProperties("float", names(1))...)))
		f.Add(encode(encoding, cube("uchar")...))
		f.Add(encode(encoding, append(cube("int"), gaussians(randomCloud(1, 0), typedProperties("double", names(0))...))[1:]...))
	}
	f.Add(encode(ply.LittleEndian, packedElements(300, true, 1)...))
	f.Add(encode(ply.LittleEndian, packedElements(2, false, 0)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		opened, err := ply.Open(t.Context(), memory(t, b), "scene.ply")
		if err != nil {
			wantFileFault(t, err)
			return
		}
		_, err = opened.Triangles(t.Context())
		wantFileFault(t, err)
		bounds, err := opened.Bounds(t.Context())
		wantFileFault(t, err)
		if bounds != nil {
			for axis := range 3 {
				if bounds.Min[axis] > bounds.Max[axis] {
					t.Errorf("bounds: got %v", bounds)
				}
			}
		}
		s, ok := opened.Source()
		if !ok {
			return
		}
		n := s.Levels()[0]
		if n > len(b) {
			t.Fatalf("Gaussians: got %d in %d bytes", n, len(b))
		}
		wantFileFault(t, s.Positions(t.Context(), 0, make([]float32, 3*n), nil))
		c := &gaussian.Cloud{}
		if err := s.Read(t.Context(), 0, []uint32{0, uint32(n - 1), uint32(n / 2)}, c); err != nil {
			t.Fatal(err)
		}
		for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities, c.Harmonics} {
			for _, v := range values {
				if v-v != 0 {
					t.Fatalf("Gaussians: got %v, want finite values", c)
				}
			}
		}
	})
}

// wantFileFault checks that an error is about the file. The medium cannot fail.
func wantFileFault(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
		t.Fatalf("got %v, want an error that names the file", err)
	}
	if err != nil && bytes.ContainsAny([]byte(err.Error()), "\x00\x1b") {
		t.Errorf("got %q, want it safe to show", err)
	}
}
