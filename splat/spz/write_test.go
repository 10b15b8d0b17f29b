package spz_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/spz"
)

func TestWrite_is_read_back(t *testing.T) {
	t.Parallel()
	for _, version := range []int{3, 4} {
		for degree := range gaussian.MaxDegree + 1 {
			t.Run(fmt.Sprintf("version %d, degree %d", version, degree), func(t *testing.T) {
				t.Parallel()
				c := randomCloud(300, degree)
				c.Opacities[7] = 1
				source := gaussian.NewMemorySource(nil, c)
				var out bytes.Buffer
				w, err := spz.Write(t.Context(), source, &out, spz.WriteOptions{Version: version, Antialiased: true})
				if err != nil {
					t.Fatal(err)
				}
				f := open(t, out.Bytes())
				want := spz.Facts{Version: version, Splats: 300, Degree: degree, Antialiased: true}
				if got := f.Facts(); got != want {
					t.Errorf("facts: got %+v, want %+v", got, want)
				}
				bounds, err := f.Bounds(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for k := range 3 {
					if math.Abs(bounds.Min[k]-w.Bounds.Min[k]) > 1e-3 || math.Abs(bounds.Max[k]-w.Bounds.Max[k]) > 1e-3 {
						t.Errorf("bounds: got %v, want %v", bounds, w.Bounds)
					}
				}
				// The file is in Morton order; so is the selection.
				selected, err := gaussian.Select(t.Context(), source, 0, gaussian.MortonOrder, nil)
				if err != nil {
					t.Fatal(err)
				}
				expected, got := &gaussian.Cloud{}, &gaussian.Cloud{}
				numbers := make([]uint32, 300)
				for i := range numbers {
					numbers[i] = selected.Index(i)
				}
				if err := source.Read(t.Context(), 0, numbers, expected); err != nil {
					t.Fatal(err)
				}
				if err := f.Read(t.Context(), 0, all(300), got); err != nil {
					t.Fatal(err)
				}
				near(t, "positions", got.Positions, expected.Positions, 0.5/4096)
				near(t, "scales", got.Scales, expected.Scales, 0.5/16)
				near(t, "colours", got.Colours, expected.Colours, 0.5/255/0.15)
				near(t, "opacities", got.Opacities, expected.Opacities, 0.5/255)
				// Four bits are kept of most harmonics: steps of 16 in 128.
				near(t, "harmonics", got.Harmonics, expected.Harmonics, 17.0/128)
				nearRotations(t, got, expected, 0.3)
			})
		}
	}
}

func TestWrite_uses_fewer_fractional_bits_for_large_captures(t *testing.T) {
	t.Parallel()
	c := randomCloud(10, 0)
	c.Positions[0] = 50_000
	var out bytes.Buffer
	if _, err := spz.Write(t.Context(), gaussian.NewMemorySource(nil, c), &out, spz.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if fraction := out.Bytes()[13]; fraction != 7 {
		t.Errorf("fractional bits: got %d, want 7", fraction)
	}
	bounds, err := open(t, out.Bytes()).Bounds(t.Context())
	if err != nil || bounds.Max[0] != 50_000 {
		t.Errorf("bounds: got %v, %v, want them to 50 kilometres", bounds, err)
	}
	c.Positions[0] = 1e8
	if _, err = spz.Write(t.Context(), gaussian.NewMemorySource(nil, c), &out, spz.WriteOptions{}); err == nil {
		t.Error("100,000 kilometres: got no error")
	}
}

func TestWrite_refuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cloud   *gaussian.Cloud
		version int
	}{"a capture without Gaussians": {&gaussian.Cloud{}, 4}, "version 2": {randomCloud(1, 0), 2}} {
		if _, err := spz.Write(t.Context(), gaussian.NewMemorySource(nil, test.cloud), &bytes.Buffer{}, spz.WriteOptions{Version: test.version}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// A file of PlayCanvas' tools has the axes of PLY and does not name them.
func TestOptions_replace_the_axes(t *testing.T) {
	t.Parallel()
	c := randomCloud(50, 2)
	d := newDocument(4, c)
	want := &gaussian.Cloud{}
	if err := open(t, d.bytes()).Read(t.Context(), 0, all(50), want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []spz.Axes{"RUB", "RDF", "LUF", "LDB"} {
		f, err := spz.Options{Axes: name}.Open(t.Context(), memory(t, d.bytes()), "scene.spz")
		if err != nil {
			t.Fatal(err)
		}
		got := &gaussian.Cloud{}
		if err := f.Read(t.Context(), 0, all(50), got); err != nil {
			t.Fatal(err)
		}
		// Half turns between the axes of the name and the default ones.
		half := map[spz.Axes][4]float32{"RUB": {0, 0, 0, 1}, "RDF": {1, 0, 0, 0}, "LUF": {0, 1, 0, 0}, "LDB": {0, 0, 1, 0}}[name]
		// An ellipsoid is the same after half a turn about its own axes, so only the
		// sizes of the components of a rotation must agree.
		for i, v := range got.Rotations {
			if math.Abs(math.Abs(float64(v))-math.Abs(float64(want.Rotations[i]))) > 1e-5 {
				t.Fatalf("%s: rotation component %d: got %v, want %v", name, i, v, want.Rotations[i])
			}
		}
		got.Rotate(half)
		near(t, string(name)+" positions", got.Positions, want.Positions, 1e-5)
		near(t, string(name)+" harmonics", got.Harmonics, want.Harmonics, 1e-5)
	}
	if _, err := (spz.Options{Axes: "UDF"}).Open(t.Context(), memory(t, d.bytes()), "scene.spz"); err == nil || spz.Axes("RUBX").IsValid() || spz.Axes("rub").IsValid() {
		t.Error("axes that there are not: got no error")
	}
}
