package palette_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/palette"
)

// values returns n values with a distribution that occurs in attributes of splats.
func values(n int, kind string) []float32 {
	r := rand.New(rand.NewPCG(8, 9))
	v := make([]float32, n)
	for i := range v {
		x := 0.0
		switch kind {
		case "uniform":
			x = r.Float64()
		case "normal":
			x = r.NormFloat64()
		case "heavy tails":
			x = math.Sinh(3 * r.NormFloat64())
		case "two scales":
			x = -9 + 0.5*r.NormFloat64()
			if i%3 == 0 {
				x = -4 + r.NormFloat64()
			}
		case "steps of a thousandth":
			x = math.Round(300*r.NormFloat64()) / 1000
		}
		v[i] = float32(x)
	}
	return v
}

var kinds = []string{"uniform", "normal", "heavy tails", "two scales", "steps of a thousandth"}

// squaredError sums the squared distances between values and their entries.
func squaredError(c *palette.Codebook, values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		d := float64(v) - float64(c.Entries()[c.Index(v)])
		sum += d * d
	}
	return sum
}

// optimum returns the minimal squared error of size entries. It tries all cuts of the
// sorted values by dynamic programming.
func optimum(values []float32, size int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, v := range sorted {
		sums[i+1] = sums[i] + float64(v)
		squares[i+1] = squares[i] + float64(v)*float64(v)
	}
	best := make([]float64, n+1)
	for i := range best {
		best[i] = math.Inf(1)
	}
	best[0] = 0
	for range size {
		for to := n; to > 0; to-- { // from the end, so that best still has one entry less
			lowest := math.Inf(1)
			for from := range to {
				sum := sums[to] - sums[from]
				lowest = min(lowest, best[from]+squares[to]-squares[from]-sum*sum/float64(to-from))
			}
			best[to] = lowest
		}
		best[0] = math.Inf(1)
	}
	return best[n]
}

func TestNewCodebook_is_near_the_minimal_squared_error(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v := values(400, kind)
			got, want := squaredError(palette.NewCodebook(v), v), optimum(v, 256)
			if got > 1.01*want {
				t.Errorf("squared error = %v, want at most 1.01 times the minimum, %v", got, want)
			}
		})
	}
}

func TestNewCodebook_is_exact_with_few_values(t *testing.T) {
	t.Parallel()
	bytes := make([]float32, 256)
	for i := range bytes {
		bytes[i] = float32(i) / 255
	}
	shuffled := append(slices.Clone(bytes), bytes...)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	next := math.Nextafter32(1, 2)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, test := range map[string]struct{ values, want []float32 }{
		"all bytes":                     {shuffled, bytes},
		"none":                          {nil, []float32{0}},
		"one":                           {[]float32{-3, -3}, []float32{-3}},
		"next to each other":            {[]float32{next, 1}, []float32{1, next}},
		"the largest and the smallest":  {[]float32{math.MaxFloat32, 0, -math.MaxFloat32}, []float32{-math.MaxFloat32, 0, math.MaxFloat32}},
		"the smallest":                  {[]float32{math.SmallestNonzeroFloat32, 0}, []float32{0, math.SmallestNonzeroFloat32}},
		"both zeros":                    {[]float32{float32(math.Copysign(0, -1)), 0}, []float32{0}},
		"some that are not finite":      {[]float32{nan, 2, inf, -inf, 1}, []float32{1, 2}},
		"none but what is not a number": {[]float32{nan}, []float32{0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := palette.NewCodebook(test.values)
			if diff := cmp.Diff(test.want, c.Entries()); diff != "" {
				t.Fatalf("entries (-want +got):\n%s", diff)
			}
			for i, v := range test.want {
				if got := c.Index(v); int(got) != i {
					t.Errorf("Index(%v) = %d, want %d", v, got, i)
				}
			}
		})
	}
}

func TestCodebook_Index_is_the_nearest(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v := values(2000, kind)
			c := palette.NewCodebook(v)
			if n := len(c.Entries()); n < 250 || n > 256 || !slices.IsSorted(c.Entries()) {
				t.Fatalf("%d entries, want about 256 that ascend", n)
			}
			for _, x := range append(v, -1e9, 1e9) {
				shortest, nearest := math.Inf(1), 0
				for i, e := range c.Entries() {
					if d := math.Abs(float64(e) - float64(x)); d < shortest {
						shortest, nearest = d, i
					}
				}
				if got := int(c.Index(x)); got != nearest {
					t.Fatalf("Index(%v) = %d, want %d", x, got, nearest)
				}
			}
		})
	}
}

func TestCodebook_Index_takes_what_is_not_finite(t *testing.T) {
	t.Parallel()
	c := palette.NewCodebook([]float32{1, 2, 3})
	for v, want := range map[float64]uint8{math.Inf(-1): 0, math.Inf(1): 2, math.NaN(): 0} {
		if got := c.Index(float32(v)); got != want {
			t.Errorf("Index(%v) = %d, want %d", v, got, want)
		}
	}
}

func TestNewCodebook_keeps_the_ends(t *testing.T) {
	t.Parallel()
	v := values(20000, "normal")
	v = append(v, 40, -70) // outliers
	c := palette.NewCodebook(v)
	for _, x := range []float32{40, -70} {
		if got := c.Entries()[c.Index(x)]; got != x {
			t.Errorf("%v has entry %v, want its own", x, got)
		}
	}
}

func TestNewCodebook_keeps_rare_values_exact(t *testing.T) {
	t.Parallel()
	v := values(50000, "two scales")
	for i := range 100 {
		v = append(v, -20+float32(i*i)/1000) // thinner than all others
	}
	c := palette.NewCodebook(v)
	maxError := 0.0
	for _, x := range v {
		maxError = max(maxError, math.Abs(float64(x-c.Entries()[c.Index(x)])))
	}
	if rms := math.Sqrt(squaredError(c, v) / float64(len(v))); maxError > 12*rms {
		t.Errorf("maximum error = %.4f, want at most 12 times the root mean square, %.4f", maxError, rms)
	}
}
