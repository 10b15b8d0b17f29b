package spz_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"portico/splat/gaussian"
)

// Every value is read back within half a step of its encoding.
func TestRead_round_trips(t *testing.T) {
	t.Parallel()
	for version := uint32(1); version <= 4; version++ {
		for degree := range gaussian.MaxDegree + 1 {
			t.Run(fmt.Sprintf("version %d, degree %d", version, degree), func(t *testing.T) {
				t.Parallel()
				want := randomCloud(300, degree)
				f := open(t, newDocument(version, want).bytes())
				if got := f.Levels(); !slices.Equal(got, []int{300}) || f.Degree() != degree {
					t.Errorf("levels and degree: got %v, %d, want [300], %d", got, f.Degree(), degree)
				}
				got := &gaussian.Cloud{}
				if err := f.Read(t.Context(), 0, all(300), got); err != nil {
					t.Fatal(err)
				}
				step := map[bool]float64{false: 0.5 / 4096, true: 100.0 / 1024}[version == 1]
				near(t, "positions", got.Positions, want.Positions, step)
				near(t, "scales", got.Scales, want.Scales, 0.5/16)
				near(t, "colours", got.Colours, want.Colours, 0.5/255/0.15)
				near(t, "opacities", got.Opacities, want.Opacities, 0.5/255)
				near(t, "harmonics", got.Harmonics, want.Harmonics, 0.5/128)
				nearRotations(t, got, want, map[bool]float64{false: 0.3, true: 3}[version < 3])
			})
		}
	}
}

// near compares values.
func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > tolerance*1.001 {
			t.Errorf("%s: value %d: got %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// nearRotations compares the rotations of quaternions, in degrees. Version 2
// is coarse where w is small.
func nearRotations(t *testing.T, got, want *gaussian.Cloud, tolerance float64) {
	t.Helper()
	for i := range want.Len() {
		var dot, length float64
		for k := range 4 {
			dot += float64(got.Rotations[4*i+k]) * float64(want.Rotations[4*i+k])
			length += float64(got.Rotations[4*i+k]) * float64(got.Rotations[4*i+k])
		}
		if math.Abs(length-1) > 1e-5 {
			t.Errorf("rotation %d: got a square length of %v, want 1", i, length)
		}
		if angle := 2 * math.Acos(min(1, math.Abs(dot))) * 180 / math.Pi; angle > tolerance && math.Abs(float64(want.Rotations[4*i+3])) > 0.2 {
			t.Errorf("rotation %d: differs by %v degrees, want at most %v", i, angle, tolerance)
		}
	}
}
