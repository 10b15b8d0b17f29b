package palette_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"portico/splat/palette"
)

func TestBuild_is_better_than_ten_rounds_of_flat_k_means(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ n, dimension, size int }{
		"harmonics of degree 1":       {2048, 9, 200},
		"harmonics of degree 2":       {1500, 24, 180},
		"harmonics of degree 3":       {1200, 45, 150},
		"most points are entries":     {600, 45, 400},
		"two entries":                 {512, 45, 2},
		"one value":                   {2048, 1, 64},
		"two values, a padded length": {2048, 2, 64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			points := harmonics(test.n, test.dimension, 1)
			got := rmse(points, test.dimension, build(t, points, test.dimension, test.size, palette.Options{}))
			want := rmse(points, test.dimension, lloyd(points, test.dimension, test.size, 10))
			if got > want {
				t.Errorf("error = %.5f, want at most %.5f", got, want)
			}
		})
	}
}

func TestBuild_gives_every_entry_the_mean_of_its_points(t *testing.T) {
	t.Parallel()
	const dimension, size = 24, 200
	points := harmonics(2000, dimension, 2)
	p := build(t, points, dimension, size, palette.Options{})
	sums, counts := make([]float64, len(p.Centroids)), make([]float64, len(p.Centroids)/dimension)
	for i, label := range p.Labels {
		counts[label]++
		for j := range dimension {
			sums[int(label)*dimension+j] += float64(points[i*dimension+j])
		}
	}
	for i, got := range p.Centroids {
		if want := sums[i] / counts[i/dimension]; math.Abs(float64(got)-want) > 1e-6 {
			t.Fatalf("value %d of entry %d = %v, want the mean of its points, %v", i%dimension, i/dimension, got, want)
		}
	}
	if len(counts) != size {
		t.Errorf("%d entries, want all %d", len(counts), size)
	}
}

func TestBuild_is_the_same_on_any_number_of_workers(t *testing.T) {
	t.Parallel()
	points := harmonics(5000, 9, 3) // several tasks and blocks
	one := build(t, points, 9, 600, palette.Options{Workers: 1, Rounds: 2})
	for _, workers := range []int{0, 4} {
		got := build(t, points, 9, 600, palette.Options{Workers: workers, Rounds: 2})
		if !slices.Equal(got.Labels, one.Labels) || !slices.Equal(got.Centroids, one.Centroids) {
			t.Errorf("the palette of %d workers differs from the palette of one", workers)
		}
	}
}

func TestBuild_gets_better_with_more_rounds(t *testing.T) {
	t.Parallel()
	points := harmonics(1500, 24, 4)
	last := math.Inf(1)
	for _, rounds := range []int{1, 3, 9} {
		got := rmse(points, 24, build(t, points, 24, 190, palette.Options{Rounds: rounds}))
		if got >= last {
			t.Errorf("error after %d rounds = %.5f, want less than %.5f", rounds, got, last)
		}
		last = got
	}
}

func TestBuild_is_exact_where_few_points_differ(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	few := make([]float32, 0, 5000*3)
	for range 5000 {
		few = append(few, float32(r.IntN(4)), float32(r.IntN(4))/7, float32(r.IntN(4))*1e30)
	}
	for name, test := range map[string]struct {
		points          []float32
		dimension, size int
		entries         int
	}{
		"no points":                        {nil, 45, 16, 0},
		"one point":                        {[]float32{1, 2, 3}, 3, 16, 1},
		"all alike":                        {make([]float32, 45*1000), 45, 16, 1},
		"a palette of one":                 {make([]float32, 1000), 1, 1, 1},
		"as many entries as points":        {harmonics(300, 45, 1), 45, 300, 300},
		"more entries than points":         {harmonics(300, 45, 1), 45, 65536, 300},
		"as many entries as points differ": {few, 3, 64, 64},
		"both zeros are one":               {[]float32{0, float32(math.Copysign(0, -1))}, 1, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := build(t, test.points, test.dimension, test.size, palette.Options{})
			if got := len(p.Centroids) / test.dimension; got != test.entries {
				t.Errorf("%d entries, want %d", got, test.entries)
			}
			if got := rmse(test.points, test.dimension, p); test.points != nil && got != 0 {
				t.Errorf("error = %v, want 0", got)
			}
		})
	}
}

func TestBuild_finds_the_groups_of_a_few_far_points(t *testing.T) {
	t.Parallel()
	points := make([]float32, 0, 3000)
	for i := range 1000 { // ten splats of gold among a thousand of plaster
		base := float32(0)
		if i%100 == 7 {
			base = float32(10 * (i/100 + 1))
		}
		jitter := float32(i%31) * 1e-4
		points = append(points, base+jitter, base-jitter, base)
	}
	p := build(t, points, 3, 12, palette.Options{})
	if got := rmse(points, 3, p); got > 0.002 {
		t.Errorf("error = %v, want an entry for each far point", got)
	}
}

func TestBuild_keeps_its_measure_at_any_scale(t *testing.T) {
	t.Parallel()
	points := harmonics(1000, 9, 5)
	want := rmse(points, 9, build(t, points, 9, 100, palette.Options{}))
	for _, exponent := range []int{-120, 100} {
		scale := float32(math.Ldexp(1, exponent))
		scaled := make([]float32, len(points))
		for i, v := range points {
			scaled[i] = v * scale
		}
		got := rmse(scaled, 9, build(t, scaled, 9, 100, palette.Options{})) / float64(scale)
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("error at a scale of 2^%d = %v of it, want %v", exponent, got, want)
		}
	}
}

func TestBuild_refuses(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, test := range map[string]struct {
		points          []float32
		dimension, size int
		want            string
	}{
		"no dimension":           {nil, 0, 4, "dimension 0"},
		"no size":                {nil, 3, 0, "size 0"},
		"half a point":           {make([]float32, 4), 3, 4, "4 values"},
		"what is not a number":   {[]float32{1, 2, 3, nan}, 2, 1, "value 1 of point 1 is not finite"},
		"what is without bounds": {[]float32{inf, 2, 3, 4}, 2, 1, "value 0 of point 0 is not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := palette.Build(t.Context(), test.points, test.dimension, test.size, palette.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestBuild_reports_rising_progress(t *testing.T) {
	t.Parallel()
	points := harmonics(3000, 9, 6)
	var fractions []float64
	build(t, points, 9, 380, palette.Options{Progress: func(f float64) { fractions = append(fractions, f) }})
	last := 0.0
	for _, fraction := range fractions {
		if !(fraction > last) || fraction-last > 0.25 {
			t.Errorf("got %v after %v, want rising steps of at most a quarter", fraction, last)
		}
		last = fraction
	}
	if last != 1 || len(fractions) < 20 {
		t.Errorf("got %d reports, the last %v, want at least 20 and 1", len(fractions), last)
	}
}

func TestBuild_ends_with_its_context(t *testing.T) {
	t.Parallel()
	points := harmonics(2000, 9, 7)
	stop := errors.New("enough")
	for _, at := range []float64{0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if at == 0 {
			cancel(stop)
		}
		reached := 0.0
		p, err := palette.Build(ctx, points, 9, 250, palette.Options{Workers: 1, Progress: func(f float64) {
			if reached = f; f >= at {
				cancel(stop)
			}
		}})
		if p != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at %v: palette %v, error %v, want none and the context's", at, p != nil, err)
		}
		if reached > at+0.15 {
			t.Errorf("canceled at %v, continued to %v", at, reached)
		}
		cancel(nil)
	}
}
