package edit_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"portico/splat/edit"
	"portico/splat/gaussian"
)

// line returns n Gaussians at x = 1 to n with y up, which is -x in a cloud, and an
// environment of one at x = 2. Opacities rise from 0 to 1.
func line(n int) gaussian.Source {
	c, far := &gaussian.Cloud{}, &gaussian.Cloud{}
	c.Resize(n, 3)
	clear(c.Harmonics)
	clear(c.Colours)
	for i := range n {
		copy(c.Positions[3*i:], []float32{-float32(i + 1), 0, 0})
		copy(c.Rotations[4*i:], []float32{0, 0, 0, 1})
		copy(c.Scales[3*i:], []float32{0, 0, 0})
		c.Opacities[i] = float32(i) / float32(max(n-1, 1))
		c.Harmonics[45*i] = float32(i)
	}
	far.Resize(1, 0)
	copy(far.Positions, []float32{-2, 0, 0})
	copy(far.Rotations, []float32{0, 0, 0, 1})
	clear(far.Scales)
	clear(far.Colours)
	far.Opacities[0] = 1
	return gaussian.NewMemorySource(far, c)
}

// apply applies steps, each "name value".
func apply(t *testing.T, source gaussian.Source, steps ...string) (gaussian.Source, error) {
	t.Helper()
	for _, text := range steps {
		name, value, _ := strings.Cut(text, " ")
		step, err := edit.Parse(name, value)
		if err != nil {
			t.Fatal(err)
		}
		if source, err = step(t.Context(), source); err != nil {
			return nil, err
		}
	}
	return source, nil
}

// uprightPositions returns all positions with y up, by Positions and by Read.
func uprightPositions(t *testing.T, s gaussian.Source) [][3]float64 {
	t.Helper()
	n := s.Levels()[0]
	p := make([]float32, 3*n)
	if err := s.Positions(t.Context(), 0, p, nil); err != nil {
		t.Fatal(err)
	}
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	var c gaussian.Cloud
	if err := s.Read(t.Context(), 0, numbers, &c); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p, c.Positions) {
		t.Errorf("positions: got %v from Positions, %v from Read", p, c.Positions)
	}
	all := make([][3]float64, n)
	for i := range all {
		all[i] = [3]float64{-float64(p[3*i]), -float64(p[3*i+1]), float64(p[3*i+2])}
	}
	return all
}

func TestParse_steps_transform_in_their_order(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		steps []string
		want  [3]float64 // of the second Gaussian, which is at 2, 0, 0
	}{
		{nil, [3]float64{2, 0, 0}},
		{[]string{"translate 1,2,3"}, [3]float64{3, 2, 3}},
		{[]string{"scale 0.5"}, [3]float64{1, 0, 0}},
		{[]string{"rotate 0,0,90"}, [3]float64{0, 2, 0}},
		{[]string{"rotate 0,90,0"}, [3]float64{0, 0, -2}},
		{[]string{"rotate 90,0,0"}, [3]float64{2, 0, 0}},
		{[]string{"rotate 90,0,90"}, [3]float64{0, 2, 0}},
		{[]string{"rotate 0,0,90", "rotate 90,0,0"}, [3]float64{0, 0, 2}},
		{[]string{"translate 1,2,3", "scale 2", "translate -1, -1, -1"}, [3]float64{5, 3, 5}},
	} {
		s, err := apply(t, line(3), test.steps...)
		if err != nil {
			t.Fatal(err)
		}
		got := uprightPositions(t, s)[1]
		for k := range 3 {
			if math.Abs(got[k]-test.want[k]) > 1e-6 {
				t.Errorf("%q: got %v, want %v", test.steps, got, test.want)
				break
			}
		}
	}
}

func TestParse_scale_scales_the_Gaussians_and_the_environment(t *testing.T) {
	t.Parallel()
	s, err := apply(t, line(2), "scale 10")
	if err != nil {
		t.Fatal(err)
	}
	var c gaussian.Cloud
	if err := s.Environment(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Scales[0], float32(math.Log(10)); got != want || c.Positions[0] != -20 {
		t.Errorf("environment: got scale %v at %v, want %v at -20", got, c.Positions[0], want)
	}
}

func TestParse_steps_filter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		steps       []string
		want        []float64 // the x of what is kept
		environment int
	}{
		{[]string{"filter-nan "}, []float64{1, 2, 3, 4, 5}, 1},
		{[]string{"filter-box 2,-1,-1,4,1,1"}, []float64{2, 3, 4}, 1},
		{[]string{"filter-box 3,-1,-1,4,1,1"}, []float64{3, 4}, 0},
		{[]string{"filter-sphere 5,0,0,1.5"}, []float64{4, 5}, 0},
		{[]string{"filter-value opacity,gt,0.5"}, []float64{4, 5}, 1},
		{[]string{"filter-value opacity_raw,lt,0"}, []float64{1, 2}, 0},
		{[]string{"filter-value x,lte,2"}, []float64{1, 2}, 1},
		{[]string{"filter-value x_raw,eq,-3"}, []float64{3}, 0},
		{[]string{"filter-value scale_1,eq,1"}, []float64{1, 2, 3, 4, 5}, 1},
		{[]string{"filter-value f_dc_2,neq,0.5"}, nil, 0},
		{[]string{"filter-box 2,-1,-1,9,1,1", "filter-value opacity,lt,1"}, []float64{2, 3, 4}, 0},
		{[]string{"filter-floaters "}, []float64{2, 3, 4, 5}, 1}, // the first is invisible
		{[]string{"filter-floaters 0.5,0.8,0.6"}, []float64{3, 4, 5}, 1},
		{[]string{"translate 10,0,0", "filter-box 12,-1,-1,13,1,1"}, []float64{12, 13}, 1},
	} {
		s, err := apply(t, line(5), test.steps...)
		if test.want == nil {
			if err == nil || !strings.Contains(err.Error(), "remove all Gaussians") {
				t.Errorf("%q: got %v, want an error that nothing is left", test.steps, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, p := range uprightPositions(t, s) {
			got = append(got, p[0])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: got %v, want %v", test.steps, got, test.want)
		}
		var far gaussian.Cloud
		if err := s.Environment(t.Context(), &far); err != nil || far.Len() != test.environment {
			t.Errorf("%q: environment: got %d, %v, want %d", test.steps, far.Len(), err, test.environment)
		}
	}
}

func TestParse_filter_harmonics_limits_the_degree(t *testing.T) {
	t.Parallel()
	s, err := apply(t, line(3), "filter-harmonics 1")
	if err != nil {
		t.Fatal(err)
	}
	var c gaussian.Cloud
	if err := s.Read(t.Context(), 0, []uint32{2, 1}, &c); err != nil {
		t.Fatal(err)
	}
	if s.Degree() != 1 || c.Degree != 1 || len(c.Harmonics) != 18 || c.Harmonics[0] != 2 || c.Harmonics[9] != 1 {
		t.Errorf("got degree %d and harmonics %v, want the first of each", s.Degree(), c.Harmonics)
	}
}

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{
		{"melt", "1"}, {"translate", "1,2"}, {"translate", "1,2,x"}, {"rotate", "1,2,NaN"}, {"scale", "0"}, {"scale", "-1"}, {"scale", "Inf"},
		{"filter-box", "1,2,3"}, {"filter-sphere", "1"}, {"filter-value", "opacity,gt"}, {"filter-value", "colour,gt,1"},
		{"filter-value", "opacity,above,1"}, {"filter-harmonics", "4"}, {"filter-harmonics", ""},
		{"filter-floaters", "0.05"}, {"filter-floaters", "0,0.1,0.1"}, {"filter-floaters", "1,1,0.1"}, {"filter-floaters", "1,0.1,-1"},
		{"decimate", ""}, {"decimate", "0"}, {"decimate", "1.5"}, {"decimate", "0%"}, {"decimate", "101%"}, {"decimate", "-5"}, {"decimate", "9999999999"},
	} {
		if _, err := edit.Parse(test[0], test[1]); err == nil {
			t.Errorf("%s %s: got no error", test[0], test[1])
		}
	}
}

func TestParse_decimate_merges_to_a_count(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"1": 1, "30": 30, "50%": 50, "0.5%": 1, "99.5%": 100, "100": 100, "1000000": 100} {
		s, err := apply(t, line(100), "decimate "+value)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Levels(); len(got) != 1 || got[0] != want || s.Degree() != 3 {
			t.Errorf("%s: got %v of degree %d, want %d of degree 3", value, got, s.Degree(), want)
		}
		var around gaussian.Cloud
		if err := s.Environment(t.Context(), &around); err != nil || around.Len() != 1 {
			t.Errorf("%s: got an environment of %d, %v, want it as it was", value, around.Len(), err)
		}
		all := uprightPositions(t, s)
		if low, high := all[0][0], all[0][0]; want > 1 {
			for _, p := range all {
				low, high = min(low, p[0]), max(high, p[0])
			}
			if low < 0.99 || low > 20 || high > 100.01 || high < 80 {
				t.Errorf("%s: got Gaussians from %v to %v, want them along the line", value, low, high)
			}
		}
	}
}

// Steps follow each other: what is filtered is not merged.
func TestParse_decimate_runs_in_the_order_of_the_steps(t *testing.T) {
	t.Parallel()
	s, err := apply(t, line(100), "filter-box 51,-1,-1,100,1,1", "decimate 50%", "translate 1000,0,0")
	if err != nil {
		t.Fatal(err)
	}
	all := uprightPositions(t, s)
	for _, p := range all {
		if p[0] < 1050 {
			t.Errorf("got a Gaussian at %v, want those that were kept", p)
		}
	}
	if len(all) != 25 {
		t.Errorf("got %d, want half of 50", len(all))
	}
}

func TestFilter_ends_with_its_context(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := edit.Filter(ended, line(3), func(*gaussian.Cloud, int) bool { return true }); err == nil {
		t.Error("got no error")
	}
}
