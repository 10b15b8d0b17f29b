package splatfile_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/splatfile"
	"portico/splat/splattest"
)

func memory(t *testing.T, content []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"a": content}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRead_returns_what_was_written(t *testing.T) {
	t.Parallel()
	cloud := splattest.Cloud(500)
	s, err := splatfile.Open(memory(t, splattest.SplatFile(cloud)), "a.splat")
	if err != nil {
		t.Fatal(err)
	}
	numbers := []uint32{499, 0, 250, 250, 1}
	c := &gaussian.Cloud{}
	if err := s.Read(t.Context(), 0, numbers, c); err != nil {
		t.Fatal(err)
	}
	for i, number := range numbers {
		limit := splattest.Differences{Position: 0, Scale: 1e-6, Colour: 1e-6, Rotation: 0.02}
		got := cloud[number].Difference(i, c.Positions, c.Scales, c.Colours, c.Opacities, c.Rotations, c.Harmonics, 0)
		if !got.Within(limit) {
			t.Errorf("Gaussian %d: got differences %+v, want at most %+v", number, got, limit)
		}
	}
	p := make([]float32, 1500)
	if err := s.Positions(t.Context(), 0, p, nil); err != nil || !slices.Equal(p[3*499:], cloud[499].Position[:]) {
		t.Errorf("positions: got %v last, %v, want %v", p[3*499:], err, cloud[499].Position)
	}
	if s.Degree() != 0 || !slices.Equal(s.Levels(), []int{500}) {
		t.Errorf("got degree %d and levels %v, want 0 and 500", s.Degree(), s.Levels())
	}
	if err := s.Read(t.Context(), 0, []uint32{500}, c); err == nil {
		t.Error("a number beyond the end: got no error")
	}
}

func TestPositions_leaves_out_broken_Gaussians(t *testing.T) {
	t.Parallel()
	content := splattest.SplatFile(splattest.Cloud(200))
	clear(content[12:24])                                     // no size
	copy(content[32*7+12:], []byte{0, 0, 0x80, 0xbf})         // a negative scale
	copy(content[32*8+24:], bytes.Repeat([]byte{128}, 8)[:8]) // a rotation without a direction is the identity
	s, err := splatfile.Open(memory(t, content), "a.splat")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]float32, 600)
	if err := s.Positions(t.Context(), 0, p, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if got, want := gaussian.IsLeftOut(p[3*i:]), i == 0 || i == 7; got != want {
			t.Errorf("Gaussian %d left out: got %t, want %t", i, got, want)
		}
	}
	box, err := s.Bounds(t.Context())
	if err != nil || box == nil || s.Broken() != 2 {
		t.Errorf("bounds: got %v, %v with %d broken, want 2", box, err, s.Broken())
	}
	copy(content[32*9:], []byte{0, 0, 0xc0, 0x7f})
	copy(content[32*10:], []byte{0, 0, 0xc0, 0x7f})
	s, _ = splatfile.Open(memory(t, content), "a.splat")
	if _, err := s.Bounds(t.Context()); err == nil || !strings.Contains(err.Error(), "3 of 200") {
		t.Errorf("three invalid of 200: got %v, want an error", err)
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                      "contains no Gaussians",
		strings.Repeat("x", 33): "it has 33 bytes, which is not a multiple of the 32 of a Gaussian",
	} {
		_, err := splatfile.Open(memory(t, []byte(content)), "a.splat")
		if fault, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(fault.Error(), want) {
			t.Errorf("%d bytes: got %v, want %q", len(content), err, want)
		}
	}
}

// FuzzOpen reads any content. Every fault must be an input.Error, and Gaussians must be
// what a cloud promises.
func FuzzOpen(f *testing.F) {
	f.Add(splattest.SplatFile(splattest.Cloud(3)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := splatfile.Open(memory(t, b), "a.splat")
		if err == nil {
			_, err = s.Bounds(t.Context())
		}
		if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
			t.Fatalf("got %v, want an error that names the file", err)
		}
		if s == nil {
			return
		}
		c := &gaussian.Cloud{}
		if err := s.Read(t.Context(), 0, []uint32{uint32(s.Levels()[0] - 1), 0}, c); err != nil {
			t.Fatal(err)
		}
		for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Opacities} {
			for _, v := range values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("Gaussians: got %v, want finite values", c)
				}
			}
		}
	})
}
