package main

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/gaussian"
)

var nearly = cmpopts.EquateApprox(1e-5, 1e-5)

func TestCompareClouds_measures_each_property(t *testing.T) {
	t.Parallel()
	original := cloud(0, 0, 0, 1, 1, 1, 5, 5, 5)
	made := cloud(0.003, 0.004, 0, 1, 1, 1)
	made.Scales[0] += 0.01
	made.Colours[1] += float32(2 / (255 * gaussian.C0))
	made.Opacities[1] -= 1.0 / 255
	// Rotated by 0.02 about x; the sign of a quaternion has no meaning.
	copy(made.Rotations, []float32{-float32(math.Sin(0.01)), 0, 0, -float32(math.Cos(0.01))})
	got := compareClouds(original, chunk(made))
	const degrees = 180 / math.Pi
	want := difference{
		unmatched: 1, positionMean: 2.5, positionP99: 5, positionMax: 5,
		positionSteps: math.Hypot(0.3/1.003, 0.4/1.004) / 2,
		rotationMean:  0.01 * degrees, rotationMax: 0.02 * degrees,
		colourMax: 2, colourShare: 0.5, opacityMax: 1, opacityShare: 0.5,
		scaleRMS: 0.01 / math.Sqrt(6), scaleMax: 0.01,
	}
	if diff := cmp.Diff(want, got, nearly, cmp.AllowUnexported(difference{})); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
}

func TestCompareClouds_of_harmonics(t *testing.T) {
	t.Parallel()
	original, made := cloud(0, 0, 0), cloud(0, 0, 0)
	original.Degree, original.Harmonics = 1, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	made.Degree, made.Harmonics = 1, []float32{1, 2, 3, 4, 5.3, 6, 7, 8, 9}
	if got := compareClouds(original, chunk(made)).harmonicsRMS; math.Abs(got-0.1) > 1e-6 {
		t.Errorf("got %.6f, want 0.1", got)
	}
	made.Degree, made.Harmonics = 0, nil
	if got := compareClouds(original, chunk(made)).harmonicsRMS; !math.IsInf(got, 1) {
		t.Errorf("of lost harmonics: got %.6f, want infinity", got)
	}
}

func TestCompareClouds_of_nothing(t *testing.T) {
	t.Parallel()
	if got := compareClouds(cloud(1, 2, 3), chunk(cloud())); got != (difference{unmatched: 1}) {
		t.Errorf("got %+v, want one that is unmatched", got)
	}
}

func TestCompareReadings_finds_each_difference(t *testing.T) {
	t.Parallel()
	ours, theirs := cloud(1, 2, 3, 4, 5, 6), cloud(1, 2, 3, 4, 5, 6)
	if got := compareReadings(theirs, ours); *got != (readBack{splats: 2}) || got.differs() {
		t.Errorf("of the same: got %+v, want no difference", got)
	}
	theirs.Positions[4] = 5.25
	theirs.Opacities[0] = 0.5 - 0.2
	got, want := compareReadings(theirs, ours), &readBack{splats: 2, position: 0.25, opacity: 51}
	if diff := cmp.Diff(want, got, nearly, cmp.AllowUnexported(readBack{})); diff != "" || !got.differs() {
		t.Errorf("differs %t (-want +got):\n%s", got.differs(), diff)
	}
	if got := compareReadings(cloud(1, 2, 3), ours); !got.differs() || got.splats != 1 {
		t.Errorf("of other numbers: got %+v, want a difference", got)
	}
}

func TestPercentile_is_one_of_the_values(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 3, 4}
	for p, want := range map[int]float64{0: 1, 25: 1, 26: 2, 50: 2, 99: 4, 100: 4} {
		if got := percentile(values, p); got != want {
			t.Errorf("percentile %d: got %v, want %v", p, got, want)
		}
	}
}

func TestSignalToNoise_is_infinite_for_equal_pictures(t *testing.T) {
	t.Parallel()
	black, other := image.NewRGBA(image.Rect(0, 0, 2, 2)), image.NewRGBA(image.Rect(0, 0, 2, 2))
	if got := signalToNoise(black, other); !math.IsInf(got, 1) {
		t.Errorf("of the same: got %v, want infinity", got)
	}
	for i := range 4 {
		other.Set(i%2, i/2, color.RGBA{R: 51, G: 51, B: 51, A: 255})
	}
	// Every value is off by a fifth.
	if got, want := signalToNoise(black, other), 20*math.Log10(5); math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}
