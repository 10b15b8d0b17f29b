package spz_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/gaussian"
	"portico/splat/spz"
)

// The files in testdata were written by the reference library (npm @adobe/spz 0.2.3),
// but for the positions of version 1, which it cannot write; the values beside them
// are what it reads from them in the axes of PLY.
func TestRead_agrees_with_the_reference_library(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.spz")
	if err != nil || len(files) < 7 {
		t.Fatalf("testdata: got %q, %v, want seven files", files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, facts := reference(t, strings.TrimSuffix(path, "spz")+"json")
			f := open(t, content)
			facts.Version = int(filepath.Base(path)[1] - '0')
			if d := cmp.Diff(facts, f.Facts()); d != "" {
				t.Errorf("facts (-want +got): %s", d)
			}
			got := &gaussian.Cloud{}
			if err := f.Read(t.Context(), 0, all(want.Len()), got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 1e-6), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("Gaussians (-want +got): %s", d)
			}
		})
	}
}

// reference reads what the reference library has read.
func reference(t *testing.T, path string) (*gaussian.Cloud, spz.Facts) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Splats, Degree                                int
		Antialiased                                   bool
		Positions, Rotations, Scales, Colours, Logits []float32
		Harmonics                                     []float32 // the channels of a coefficient together
	}
	if err := json.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	c := &gaussian.Cloud{
		Degree: values.Degree, Positions: values.Positions, Rotations: values.Rotations,
		Scales: values.Scales, Colours: values.Colours,
	}
	for _, v := range values.Logits {
		c.Opacities = append(c.Opacities, float32(1/(1+math.Exp(-float64(v)))))
	}
	n := gaussian.Coefficients(values.Degree)
	for i := range values.Splats {
		for channel := range 3 {
			for k := range n {
				c.Harmonics = append(c.Harmonics, values.Harmonics[3*(n*i+k)+channel])
			}
		}
	}
	return c, spz.Facts{Splats: int64(values.Splats), Degree: values.Degree, Antialiased: values.Antialiased}
}
