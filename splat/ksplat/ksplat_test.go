package ksplat_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/ksplat"
	"portico/splat/splattest"
)

func open(t *testing.T, content []byte) (*ksplat.File, error) {
	t.Helper()
	f, err := folder.Memory{"a": content}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return ksplat.Open(f, "a.ksplat")
}

// One row for each compression level. The numbers are not in order and repeat.
func TestRead_returns_what_was_written(t *testing.T) {
	t.Parallel()
	cloud := splattest.Cloud(501)
	for level, limit := range []splattest.Differences{
		{Position: 0, Scale: 1e-6, Colour: 1e-6, Rotation: 1e-3, Harmonic: 1e-6},
		{Position: 0.0011, Scale: 1e-3, Colour: 1e-6, Rotation: 2e-3, Harmonic: 1e-3},
		{Position: 0.0011, Scale: 1e-3, Colour: 1e-6, Rotation: 2e-3, Harmonic: 0.006},
	} {
		t.Run(fmt.Sprint("level ", level), func(t *testing.T) {
			t.Parallel()
			s, err := open(t, splattest.KSplat(cloud, level))
			if err != nil {
				t.Fatal(err)
			}
			if s.Version != "0.1" || s.Degree() != 2 || !slices.Equal(s.Levels(), []int{501}) {
				t.Errorf("got version %s, degree %d and levels %v, want 0.1, 2 and 501", s.Version, s.Degree(), s.Levels())
			}
			numbers := []uint32{500, 0, 249, 250, 250, 17, 248, 499}
			c := &gaussian.Cloud{}
			if err := s.Read(t.Context(), 0, numbers, c); err != nil {
				t.Fatal(err)
			}
			p := make([]float32, 3*501)
			if err := s.Positions(t.Context(), 0, p, nil); err != nil {
				t.Fatal(err)
			}
			for i, number := range numbers {
				degree := 2
				if number >= 250 {
					degree = 0
				}
				got := cloud[number].Difference(i, c.Positions, c.Scales, c.Colours, c.Opacities, c.Rotations, c.Harmonics, degree)
				if !got.Within(limit) {
					t.Errorf("Gaussian %d: got differences %+v, want at most %+v", number, got, limit)
				}
				if !slices.Equal(p[3*number:3*number+3], c.Positions[3*i:3*i+3]) {
					t.Errorf("position %d: got %v, want %v", number, p[3*number:3*number+3], c.Positions[3*i:3*i+3])
				}
			}
		})
	}
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	const first = 4096 // the header of the first section
	for _, test := range []struct {
		name   string
		level  int
		at     int
		value  uint32
		cut    int // bytes
		reason string
	}{
		{"half a header", 0, 0, 0, 4095, "it ends within its header"},
		{"half the headers of sections", 0, 0, 1 << 8, 5000, "it ends within the headers of its sections"},
		{"another version", 0, 0, 1, 0, "of version 1.0; version 0 can be read"},
		{"compression level 3", 0, 20, 3, 0, "has the compression level 3; 0 to 2"},
		{"no sections", 0, 4, 0, 0, "it has 0 sections"},
		{"many sections", 0, 4, math.MaxUint32, 0, "it has 4294967295 sections"},
		{"no Gaussians", 0, 16, 0, 0, "contains no Gaussians"},
		{"more Gaussians than sections", 0, 16, 41, 0, "its sections have 40 Gaussians, but its header claims 41"},
		{"harmonics without a range", 2, 36, math.Float32bits(2), 0, "its harmonics have no range"},
		{"more Gaussians than room", 1, first, 21, 0, "a section has 21 Gaussians, but room for 20"},
		{"degree 4", 1, first + 40, 4, 0, "has harmonics of degree 4"},
		{"more Gaussians than the file", 0, first + 4, math.MaxUint32, 0, "is cut off: a section has"},
		{"many buckets", 1, first + 12, math.MaxUint32, 0, "1 full and 2 other buckets, of 4294967295"},
		{"fewer buckets than it fills", 1, first + 32, 2, 0, "2 full and 2 other buckets, of 3"},
		{"buckets of another size", 1, first + 20, 16, 0, "its buckets have 16 bytes instead of 12"},
		{"blocks without a size", 1, first + 16, math.Float32bits(float32(math.Inf(1))), 0, "buckets without a size"},
		{"too few Gaussians in buckets", 1, first + 8, 1, 0, "the buckets of a section have 5 of its 20 Gaussians"},
		{"a file that is cut", 1, 0, 1 << 8, -1, "is cut off: a section has"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			content := splattest.KSplat(splattest.Cloud(40), test.level)
			binary.LittleEndian.PutUint32(content[test.at:], test.value)
			if test.cut != 0 {
				content = content[:(len(content)+test.cut)%len(content)]
			}
			_, err := open(t, content)
			if fault, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(fault.Error(), test.reason) {
				t.Errorf("got %v, want %q", err, test.reason)
			}
		})
	}
}

// FuzzOpen reads any content. Every fault must be an input.Error, and Gaussians must be
// what a cloud promises.
func FuzzOpen(f *testing.F) {
	for level := range 3 {
		f.Add(splattest.KSplat(splattest.Cloud(40), level))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := open(t, b)
		if err == nil {
			_, err = s.Bounds(t.Context())
		}
		if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
			t.Fatalf("got %v, want an error that names the file", err)
		}
		if s == nil {
			return
		}
		n, c := s.Levels()[0], &gaussian.Cloud{}
		if n > len(b) {
			t.Fatalf("Gaussians: got %d in %d bytes", n, len(b))
		}
		if err := s.Read(t.Context(), 0, []uint32{uint32(n - 1), 0, uint32(n / 2)}, c); err != nil {
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
