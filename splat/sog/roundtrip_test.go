package sog_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

func TestWrite_round_trips(t *testing.T) {
	t.Parallel()
	for _, form := range forms() {
		for _, n := range []int{1, 5, 1500} {
			for degree := range gaussian.MaxDegree + 1 {
				if n == 1500 && degree > 0 && (form.name == "folder" || degree != 3) {
					continue // other degrees cover the same code, and palettes take long
				}
				t.Run(fmt.Sprintf("%s of %d, degree %d", form.name, n, degree), func(t *testing.T) {
					t.Parallel()
					want := withManyValues(capture(n, degree, uint64(n)))
					reader, result := form.write(t, gaussian.NewMemorySource(nil, want), sog.Options{})
					if got := reader.Degree(); got != min(degree, 3) || result.Degree != got {
						t.Errorf("degree: got %d, wrote %d, want %d", got, result.Degree, min(degree, 3))
					}
					if diff := cmp.Diff([]int{n}, reader.Levels()); diff != "" {
						t.Errorf("levels: %s", diff)
					}
					compare(t, want, readAll(t, reader, 0))
				})
			}
		}
	}
}

// compare checks that two clouds hold the same Gaussians, each once, in any order, and as
// precisely as the format allows.
func compare(t *testing.T, want, got *gaussian.Cloud) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("Gaussians: got %d, want %d", got.Len(), want.Len())
	}
	seen := make([]bool, want.Len())
	var rotation, scale, harmonics, power float64
	for i := range got.Len() {
		k := originalIndex(got, i)
		if k >= len(seen) || seen[k] {
			t.Fatalf("Gaussian %d: got number %d, which is none or twice", i, k)
		}
		seen[k] = true
		if got.Opacities[i] != want.Opacities[k] {
			t.Errorf("opacity of %d: got %g, want %g", k, got.Opacities[i], want.Opacities[k])
		}
		for axis := range 3 {
			if got.Colours[3*i+axis] != want.Colours[3*k+axis] {
				t.Errorf("colour of %d: got %g, want %g", k, got.Colours[3*i+axis], want.Colours[3*k+axis])
			}
			comparePosition(t, want.Positions[3*k+axis], got.Positions[3*i+axis])
			scale += square(got.Scales[3*i+axis] - want.Scales[3*k+axis])
		}
		rotation += angle(got.Rotations[4*i:4*i+4], want.Rotations[4*k:4*k+4])
		a, b := harmonicsOf(got, i), harmonicsOf(want, k)
		for m, v := range a {
			// Degree 4 is written as 3.
			w := b[m/(len(a)/3)*(len(b)/3)+m%(len(a)/3)]
			harmonics += square(v - w)
			power += square(w)
		}
	}
	n := float64(got.Len())
	if mean := rotation / n; mean > 0.40 {
		t.Errorf("rotation: mean error %.3f degrees, want at most 0.40", mean)
	}
	if rms := math.Sqrt(scale / (3 * n)); rms > 0.009 {
		t.Errorf("scale: error %.4f, want at most 0.009", rms)
	}
	if harmonics > 0.05*power {
		t.Errorf("harmonics: error is %.3f of all, want at most 0.05", harmonics/power)
	}
}

// comparePosition allows half a step of the 16-bit logarithms, which range from -ln(31)
// to ln(31) here.
func comparePosition(t *testing.T, want, got float32) {
	t.Helper()
	logarithm := func(v float32) float64 { return math.Copysign(math.Log1p(math.Abs(float64(v))), float64(v)) }
	const step = 2 * 3.44 / 65535
	if e := math.Abs(logarithm(got) - logarithm(want)); e > 0.55*step {
		t.Errorf("coordinate: got %g, want %g: %.2f steps off", got, want, e/step)
	}
}

func harmonicsOf(c *gaussian.Cloud, i int) []float32 {
	n := 3 * gaussian.Coefficients(c.Degree)
	return c.Harmonics[i*n : (i+1)*n]
}

func square(v float32) float64 { return float64(v) * float64(v) }

// angle returns the angle between two rotations in degrees.
func angle(a, b []float32) float64 {
	var dot float64
	for k := range a {
		dot += float64(a[k]) * float64(b[k])
	}
	return 2 * math.Acos(min(1, math.Abs(dot))) * 180 / math.Pi
}
