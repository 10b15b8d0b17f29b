package ply_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// withBroken returns a source of the cloud whose Gaussian i is left out.
func withBroken(t *testing.T, c *gaussian.Cloud, i int) gaussian.Source {
	t.Helper()
	c.Positions[3*i] = float32(math.NaN())
	return source(t, encode(ply.LittleEndian, gaussians(c, typedProperties("float", names(c.Degree))...)))
}

func without(t *testing.T, c *gaussian.Cloud, i int) *gaussian.Cloud {
	t.Helper()
	rest := &gaussian.Cloud{}
	if err := gaussian.NewMemorySource(nil, c).Read(t.Context(), 0, slices.Delete(all(c.Len()), i, i+1), rest); err != nil {
		t.Fatal(err)
	}
	return rest
}

func TestWrite_is_read_back(t *testing.T) {
	t.Parallel()
	for degree := range 4 {
		for _, model := range []ply.Model{"", ply.Antialiased, ply.Discs} {
			c := randomCloud(700, degree)
			c.Opacities[1], c.Opacities[2] = 0, 1
			if model == ply.Discs {
				for i := range c.Len() {
					c.Scales[3*i+2] = -13.815511
				}
			}
			var out bytes.Buffer
			reported := int64(0)
			w, err := ply.Write(t.Context(), withBroken(t, c, 5), &out, ply.WriteOptions{
				Model: model, Progress: func(done, total int64) { reported = done - total },
			})
			if err != nil || w.Splats != 699 || w.Dropped != 1 || w.Degree != degree || reported != 0 {
				t.Fatalf("degree %d: got %+v, %v, want 699 splats, 1 dropped", degree, w, err)
			}
			f := open(t, out.Bytes())
			if got := f.Facts(); got.Model != model || got.Degree != degree || got.Flat != (model == ply.Discs) {
				t.Errorf("facts: got %+v, want model %q and degree %d", got, model, degree)
			}
			bounds, err := f.Bounds(t.Context())
			if err != nil || *bounds != w.Bounds {
				t.Errorf("bounds: got %v, %v, want %v", bounds, err, w.Bounds)
			}
			got := &gaussian.Cloud{}
			s, _ := f.Source()
			if err := s.Read(t.Context(), 0, all(699), got); err != nil {
				t.Fatal(err)
			}
			want := without(t, c, 5)
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-5, 1e-6), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("degree %d (-want +got): %s", degree, d)
			}
		}
	}
}

func TestWriteCompressed_is_read_back(t *testing.T) {
	t.Parallel()
	for degree := range 4 {
		c := randomCloud(700, degree)
		for i := range c.Harmonics {
			c.Harmonics[i] = max(-3.9, min(c.Harmonics[i], 3.9))
		}
		out, err := os.Create(filepath.Join(t.TempDir(), "a.ply"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := ply.WriteCompressed(t.Context(), withBroken(t, c, 5), out, ply.WriteOptions{Model: ply.Antialiased})
		if err != nil || w.Splats != 699 || w.Dropped != 1 {
			t.Fatalf("degree %d: got %+v, %v, want 699 splats, 1 dropped", degree, w, err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, content)
		if got := f.Facts(); got.Kind != ply.Compressed || got.Degree != degree || got.Model != ply.Antialiased {
			t.Errorf("facts: got %+v, want compressed, antialiased, of degree %d", got, degree)
		}
		got := &gaussian.Cloud{}
		s, _ := f.Source()
		if err := s.Read(t.Context(), 0, all(699), got); err != nil {
			t.Fatal(err)
		}
		comparePacked(t, without(t, c, 5), got)
	}
}

// comparePacked compares clouds in different orders, within the steps of packed values.
func comparePacked(t *testing.T, want, got *gaussian.Cloud) {
	t.Helper()
	n := 3 * gaussian.Coefficients(want.Degree)
	for i := range want.Len() {
		j := nearest(got, want.Positions[3*i:3*i+3])
		worst := func(a, b []float32) (d float64) {
			for k := range a {
				d = max(d, math.Abs(float64(a[k]-b[k])))
			}
			return d
		}
		dot := 0.0
		for k := range 4 {
			dot += float64(want.Rotations[4*i+k]) * float64(got.Rotations[4*j+k])
		}
		switch {
		case worst(want.Positions[3*i:3*i+3], got.Positions[3*j:]) > 0.15:
			t.Errorf("position: got %v, want %v", got.Positions[3*j:3*j+3], want.Positions[3*i:3*i+3])
		case worst(want.Scales[3*i:3*i+3], got.Scales[3*j:]) > 0.01:
			t.Errorf("scale: got %v, want %v", got.Scales[3*j:3*j+3], want.Scales[3*i:3*i+3])
		case worst(want.Colours[3*i:3*i+3], got.Colours[3*j:]) > 0.03:
			t.Errorf("colour: got %v, want %v", got.Colours[3*j:3*j+3], want.Colours[3*i:3*i+3])
		case worst(want.Opacities[i:i+1], got.Opacities[j:]) > 0.003:
			t.Errorf("opacity: got %v, want %v", got.Opacities[j], want.Opacities[i])
		case worst(want.Harmonics[n*i:n*i+n], got.Harmonics[n*j:]) > 1.0/64+1e-6:
			t.Errorf("harmonics: got %v, want %v", got.Harmonics[n*j:n*j+n], want.Harmonics[n*i:n*i+n])
		case math.Acos(min(1, math.Abs(dot))) > 0.003:
			t.Errorf("rotation: got %v, want %v", got.Rotations[4*j:4*j+4], want.Rotations[4*i:4*i+4])
		}
	}
}

func nearest(c *gaussian.Cloud, p []float32) int {
	best, shortest := 0, math.Inf(1)
	for j := range c.Len() {
		d := 0.0
		for k, v := range p {
			d += math.Pow(float64(v-c.Positions[3*j+k]), 2)
		}
		if d < shortest {
			best, shortest = j, d
		}
	}
	return best
}

func TestWrite_refuses_a_capture_without_Gaussians(t *testing.T) {
	t.Parallel()
	_, err := ply.Write(t.Context(), gaussian.NewMemorySource(nil, &gaussian.Cloud{}), &bytes.Buffer{}, ply.WriteOptions{})
	if err == nil || err.Error() != "The capture has no Gaussians" {
		t.Errorf("got %v, want an error that says so", err)
	}
}

func TestWrite_leaves_out_harmonics_of_degree_4(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := ply.Write(t.Context(), gaussian.NewMemorySource(nil, randomCloud(3, 4)), &out, ply.WriteOptions{})
	if err != nil || w.Degree != 3 || open(t, out.Bytes()).Facts().Degree != 3 {
		t.Errorf("got %+v, %v, want degree 3", w, err)
	}
}
