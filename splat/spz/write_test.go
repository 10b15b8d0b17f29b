package spz_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
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

// Every named system of axes shows the same capture.
func TestRead_converts_all_named_axes(t *testing.T) {
	t.Parallel()
	names := strings.Fields("LDB RDB LUB RUB LDF RDF LUF RUF LFD RFD LFU RFU LBD RBD LBU RBU")
	directions := map[byte][3]float32{'R': {1}, 'L': {-1}, 'D': {0, 1}, 'U': {0, -1}, 'F': {0, 0, 1}, 'B': {0, 0, -1}}
	for number := 1; number <= 16; number++ {
		name := names[number-1]
		c := randomCloud(20, 0)
		inFile := randomCloud(20, 0)
		for i := range c.Len() {
			for k := range 3 {
				// newDocument negates y and z.
				sign := []float32{1, -1, -1}[k]
				inFile.Positions[3*i+k] = 0
				for n, v := range directions[name[k]] {
					inFile.Positions[3*i+k] += sign * v * c.Positions[3*i+n]
				}
			}
		}
		d := newDocument(4, inFile)
		d.flags, d.extensions = 2, extension(0xadbe0003, byte(number), 0, 0, 0)
		f := open(t, d.bytes())
		p := make([]float32, 60)
		if err := f.Positions(t.Context(), 0, p, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := &gaussian.Cloud{}
		if err := f.Read(t.Context(), 0, all(20), got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		near(t, name+" positions", p, c.Positions, 0.01)
		near(t, name+" read positions", got.Positions, c.Positions, 0.01)
		bounds, err := f.Bounds(t.Context())
		if err != nil || bounds == nil {
			t.Fatalf("%s: got the bounds %v, %v", name, bounds, err)
		}
		for i := range c.Len() {
			for k, sign := range []float64{1, -1, -1} {
				if v := sign * float64(inFile.Positions[3*i+k]); v < bounds.Min[k]-0.01 || v > bounds.Max[k]+0.01 {
					t.Errorf("%s: got the bounds %v, want them around %g on axis %d of the file", name, bounds, v, k)
				}
			}
		}
		named, err := spz.Options{Axes: spz.Axes(name)}.Open(t.Context(), memory(t, newDocument(4, inFile).bytes()), "scene.spz")
		if err != nil {
			t.Fatal(err)
		}
		again := &gaussian.Cloud{}
		if err := named.Read(t.Context(), 0, all(20), again); err != nil {
			t.Fatal(err)
		}
		near(t, name+" rotations by an option", again.Rotations, got.Rotations, 1e-6)
		near(t, name+" positions by an option", again.Positions, got.Positions, 1e-6)
	}
}

// The axes of right, front, up are the default ones after a quarter turn about x.
func TestRead_turns_Gaussians_with_z_up(t *testing.T) {
	t.Parallel()
	c := randomCloud(30, 3)
	d := newDocument(4, c)
	want := &gaussian.Cloud{}
	if err := open(t, d.bytes()).Read(t.Context(), 0, all(30), want); err != nil {
		t.Fatal(err)
	}
	want.Rotate([4]float32{1, 0, 0, 0}) // to the values of the file
	want.Rotate([4]float32{-math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2})
	want.Rotate([4]float32{1, 0, 0, 0})
	d.flags, d.extensions = 2, extension(0xadbe0003, 12, 0, 0, 0)
	got := &gaussian.Cloud{}
	if err := open(t, d.bytes()).Read(t.Context(), 0, all(30), got); err != nil {
		t.Fatal(err)
	}
	near(t, "positions", got.Positions, want.Positions, 1e-5)
	near(t, "harmonics", got.Harmonics, want.Harmonics, 1e-5)
	for i := range got.Len() {
		dot := float32(0)
		for k := range 4 {
			dot += got.Rotations[4*i+k] * want.Rotations[4*i+k]
		}
		if math.Abs(float64(dot)) < 0.9999 {
			t.Errorf("rotation %d: got %v, want %v", i, got.Rotations[4*i:4*i+4], want.Rotations[4*i:4*i+4])
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
	if _, err := (spz.Options{Axes: "UDF"}).Open(t.Context(), memory(t, d.bytes()), "scene.spz"); err == nil || spz.Axes("RUBX").IsValid() || spz.Axes("RFB").IsValid() || spz.Axes("rub").IsValid() {
		t.Error("axes that there are not: got no error")
	}
}
