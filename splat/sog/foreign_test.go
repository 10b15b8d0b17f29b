package sog_test

import (
	"archive/zip"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// The files of testdata are the output of splat-transform 3.7.0 (npm
// @playcanvas/splat-transform, -g cpu) for capture(50, 1, 5). The streamed SOG also has
// capture(20, 1, 6) as the second level and capture(10, 0, 7) as the environment.

func TestOpenBundle_reads_what_splat_transform_writes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "splat-transform.sog"))
	if err != nil {
		t.Fatal(err)
	}
	reader := openBundle(t, data)
	if reader.Version() != 2 || reader.Degree() != 1 || reader.Streamed() {
		t.Errorf("facts: got version %d, degree %d, streamed %t", reader.Version(), reader.Degree(), reader.Streamed())
	}
	compareForeign(t, capture(50, 1, 5), readAll(t, reader, 0))
	low, high, ok := reader.Bounds()
	if !ok || math.Abs(low[0] - -27.96) > 0.1 || math.Abs(high[2]-26.44) > 0.1 {
		t.Errorf("bounds: got %.2f to %.2f, %t", low, high, ok)
	}
}

func TestOpen_reads_what_splat_transform_streams(t *testing.T) {
	t.Parallel()
	archive, err := zip.OpenReader(filepath.Join("testdata", "splat-transform-streamed.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := folder.Memory{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files["scan/"+f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	reader := open(t, files, "scan/lod-meta.json")
	if _, err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	if diff := cmp.Diff([]int{50, 20}, reader.Levels()); diff != "" || reader.EnvironmentCount() != 10 {
		t.Errorf("counts: environment of %d, %s", reader.EnvironmentCount(), diff)
	}
	compareForeign(t, capture(50, 1, 5), readAll(t, reader, 0))
	compareForeign(t, capture(20, 1, 6), readAll(t, reader, 1))
	var c gaussian.Cloud
	if err := reader.Environment(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	compareForeign(t, capture(10, 0, 7), &c)
}

// compareForeign is compare for a writer that truncates where ours rounds.
func compareForeign(t *testing.T, want, got *gaussian.Cloud) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("Gaussians: got %d, want %d", got.Len(), want.Len())
	}
	for i := range got.Len() {
		if got.Opacities[i] == 0 {
			continue // its encoder drops invisible colours, which hold the index
		}
		k := originalIndex(got, i)
		if k >= want.Len() {
			t.Fatalf("Gaussian %d: got number %d", i, k)
		}
		for what, pair := range map[string][2][]float32{
			"position": {got.Positions[3*i : 3*i+3], want.Positions[3*k : 3*k+3]},
			"scale":    {got.Scales[3*i : 3*i+3], want.Scales[3*k : 3*k+3]},
			"opacity":  {got.Opacities[i : i+1], want.Opacities[k : k+1]},
			"harmonic": {harmonicsOf(got, i), harmonicsOf(want, k)},
		} {
			for m := range pair[0] {
				if math.Abs(float64(pair[0][m]-pair[1][m])) > map[string]float64{
					"position": 0.004, "scale": 0.02, "opacity": 1.01 / 255, "harmonic": 0.1,
				}[what] {
					t.Errorf("%s of %d: got %g, want %g", what, k, pair[0], pair[1])
				}
			}
		}
		if e := angle(got.Rotations[4*i:4*i+4], want.Rotations[4*k:4*k+4]); e > 2 {
			t.Errorf("rotation of %d: %.2f degrees off", k, e)
		}
	}
}
