package decimate_test

import (
	"context"
	"errors"
	"image/color"
	"math"
	"reflect"
	"testing"

	"portico/splat/decimate"
	"portico/splat/gaussian"
	"portico/splat/picture"
)

// halve returns the half of a cloud as one part.
func halve(t *testing.T, d *decimate.Decimator, from *gaussian.Cloud) *gaussian.Cloud {
	t.Helper()
	to := &gaussian.Cloud{}
	if err := d.Halve(t.Context(), from, []int{from.Len()}, to, false); err != nil {
		t.Fatal(err)
	}
	return to
}

// pair returns two Gaussians that differ in all values. The second shows three times as much as the
// first.
func pair() *gaussian.Cloud {
	c := &gaussian.Cloud{}
	c.Resize(2, 1)
	copy(c.Positions, []float32{0, 0, 0, 4, 0, 0})
	copy(c.Rotations, []float32{0, 0, 0, 1, 0, 0, float32(math.Sqrt(0.5)), float32(math.Sqrt(0.5))})
	copy(c.Scales, []float32{0, 0, -3, 0, 0, -3})
	copy(c.Colours, []float32{1, 0, 0, 0, 1, 0})
	copy(c.Opacities, []float32{0.1, 0.3})
	for i := range c.Harmonics {
		c.Harmonics[i] = float32(i)
	}
	return c
}

func TestHalve_keeps_mean_covariance_and_opacity(t *testing.T) {
	t.Parallel()
	got := halve(t, &decimate.Decimator{}, pair())
	if got.Len() != 1 {
		t.Fatalf("got %d Gaussians, want 1", got.Len())
	}
	near := func(name string, got []float32, want ...float64) {
		for k, v := range got {
			if math.Abs(float64(v)-want[k]) > 1e-4 {
				t.Errorf("%s: got %g, want %g", name, got, want)
				return
			}
		}
	}
	// Along x, the variance is 1 of each and 3/16 of the squared distance between them.
	near("position", got.Positions, 3, 0, 0)
	near("scales", got.Scales, math.Log(2), 0, -3)
	near("colour", got.Colours, 0.25, 0.75, 0)
	near("harmonics", got.Harmonics, 6.75, 7.75, 8.75, 9.75, 10.75, 11.75, 12.75, 13.75, 14.75)
	thin := math.Exp(-6)
	before, after := math.Sqrt(1+2*thin), math.Sqrt(4+5*thin)
	near("opacity", got.Opacities, 0.4*before/after*1.03)
	if r := got.Rotations; math.Abs(float64(r[3])) < 0.9999 {
		t.Errorf("rotation: got %g, want none", r)
	}
}

func TestHalve_copies_Gaussians_that_are_not_merged(t *testing.T) {
	t.Parallel()
	c := &gaussian.Cloud{}
	for i := range 3 {
		from := pair()
		from.Positions[0] = float32(1000 * i)
		c.Degree = 1
		c.Append(from.Slice(0, 1))
	}
	c.Positions[3] = 0.001 // the first two are almost equal
	got := halve(t, &decimate.Decimator{}, c)
	if got.Len() != 2 {
		t.Fatalf("got %d Gaussians, want 2", got.Len())
	}
	for i := range 2 {
		if got.Positions[3*i] == 2000 {
			if one, want := got.Slice(i, i+1), c.Slice(2, 3); !reflect.DeepEqual(one, want) {
				t.Errorf("the Gaussian that is far away: got %v, want %v", one, want)
			}
			return
		}
	}
	t.Errorf("positions: got %g, want the third to be kept", got.Positions)
}

func TestHalve_halves_parts_separately(t *testing.T) {
	t.Parallel()
	c, counts := decimate.Surface(150_000, 0), []int{1, 2, 3, 0, 70_000, 79_994}
	for i := range counts {
		first := 0
		for _, n := range counts[:i] {
			first += n
		}
		for k := first; k < first+counts[i]; k++ {
			c.Positions[3*k+1] = float32(100 * i)
		}
	}
	to := &gaussian.Cloud{}
	if err := new(decimate.Decimator).Halve(t.Context(), c, counts, to, false); err != nil {
		t.Fatal(err)
	}
	at := 0
	for i, n := range counts {
		for range decimate.Half(n) {
			if got, want := to.Positions[3*at+1], float32(100*i); math.Abs(float64(got-want)) > 1e-3 {
				t.Fatalf("Gaussian %d: got y %g, want %g of part %d", at, got, want, i)
			}
			at++
		}
	}
	if to.Len() != at {
		t.Errorf("got %d Gaussians, want %d", to.Len(), at)
	}
}

// The workers share the parts of a cloud. They share the blocks of a large part in the same way, so
// small parts are enough.
func TestHalve_does_not_depend_on_workers(t *testing.T) {
	t.Parallel()
	c, counts := decimate.Surface(20_000, 0), []int{6000, 1, 3999, 5000, 3000, 2000}
	halved := [2]gaussian.Cloud{}
	for i, workers := range []int{1, 3} {
		d := &decimate.Decimator{Workers: workers}
		if err := d.Halve(t.Context(), c, counts, &halved[i], false); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(halved[0], halved[1]) {
		t.Error("one and three workers made different Gaussians")
	}
}

func TestHalve_halves_equal_Gaussians(t *testing.T) {
	t.Parallel()
	c := &gaussian.Cloud{}
	for range 1000 {
		from := pair()
		c.Degree = 1
		c.Append(from.Slice(0, 1))
	}
	if got := halve(t, &decimate.Decimator{}, c); got.Len() != 500 || got.Positions[0] != 0 {
		t.Errorf("got %d Gaussians, the first at %g, want 500 at 0", got.Len(), got.Positions[0])
	}
}

func TestHalve_ends_with_the_context(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := new(decimate.Decimator).Halve(ctx, decimate.Surface(100, 0), []int{100}, &gaussian.Cloud{}, false)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// signalToNoise returns the ratio of a picture of a cloud to its difference from another
// cloud's picture, in dB.
func signalToNoise(t *testing.T, a, b *gaussian.Cloud) float64 {
	t.Helper()
	camera := picture.Facing(a, 320, 200)
	o := picture.Options{Width: 320, Height: 200, Camera: &camera, Top: color.Black, Bottom: color.Black}
	first, err := picture.Render(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := picture.Render(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	squares := 0.0
	for i, v := range first.Pix {
		difference := float64(v) - float64(second.Pix[i])
		squares += difference * difference
	}
	return 10 * math.Log10(255*255*float64(len(first.Pix))*3/4/squares)
}

func TestHalve_looks_like_the_original(t *testing.T) {
	t.Parallel()
	c := decimate.Surface(40_000, 1)
	level, d := c, &decimate.Decimator{}
	for i, want := range []float64{34, 30, 27} {
		next := &gaussian.Cloud{}
		if err := d.Halve(t.Context(), level, []int{level.Len()}, next, i > 0); err != nil {
			t.Fatal(err)
		}
		level = next
		plain := &gaussian.Cloud{} // every second, fourth and eighth Gaussian
		plain.Degree = 1
		for k := 0; k < c.Len(); k += 2 << i {
			plain.Append(c.Slice(k, k+1))
		}
		got, random := signalToNoise(t, c, level), signalToNoise(t, c, plain)
		t.Logf("level %d: %.1f dB, a plain selection %.1f dB", i+1, got, random)
		if got < want || got < random+6 {
			t.Errorf("level %d: got %.1f dB, want %.0f dB and 6 dB more than a plain selection with %.1f dB", i+1, got, want, random)
		}
	}
}

// Reduce keeps what is to be seen, whatever the count.
func TestReduce_returns_the_wanted_count(t *testing.T) {
	t.Parallel()
	for _, want := range []int{1, 2, 7, 499, 500, 501, 998, 999, 1000} {
		from, to := &gaussian.Cloud{}, &gaussian.Cloud{}
		from.Resize(1000, 0)
		clear(from.Rotations)
		clear(from.Colours)
		for i := range 1000 {
			copy(from.Positions[3*i:3*i+3], []float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)})
			copy(from.Scales[3*i:3*i+3], []float32{-1, -1, -1})
			from.Rotations[4*i+3], from.Opacities[i] = 1, 0.5
		}
		if err := new(decimate.Decimator).Reduce(t.Context(), from, want, to); err != nil {
			t.Fatal(err)
		}
		if to.Len() != want {
			t.Fatalf("got %d Gaussians, want %d", to.Len(), want)
		}
		// The mean stays.
		var mean, weight float64
		for i := range want {
			area := float64(to.Opacities[i]) * math.Exp(float64(to.Scales[3*i]+to.Scales[3*i+1]+to.Scales[3*i+2])*2/3)
			mean, weight = mean+area*float64(to.Positions[3*i]), weight+area
		}
		if mean /= weight; math.Abs(mean-4.5) > 0.3 {
			t.Errorf("%d Gaussians: got a mean x of %v, want 4.5", want, mean)
		}
	}
}

// A capture of several blocks is reduced in proportion.
func TestReduce_divides_large_clouds_into_blocks(t *testing.T) {
	t.Parallel()
	from, to := &gaussian.Cloud{}, &gaussian.Cloud{}
	const n = 150_001
	from.Resize(n, 0)
	for _, values := range [][]float32{from.Rotations, from.Colours, from.Scales, from.Positions} {
		clear(values)
	}
	for i := range n {
		from.Positions[3*i], from.Rotations[4*i+3], from.Opacities[i] = float32(i), 1, 0.5
	}
	if err := new(decimate.Decimator).Reduce(t.Context(), from, n-1, to); err != nil || to.Len() != n-1 {
		t.Errorf("got %d of %d, %v, want one less", to.Len(), n, err)
	}
}
