package ply_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// near allows for the rounding of logits and of the length of quaternions.
var near = cmpopts.EquateApprox(0, 1e-6)

func TestRead_round_trips(t *testing.T) {
	t.Parallel()
	reversed := func(degree int) []string {
		all := names(degree)
		slices.Reverse(all)
		return all
	}
	normals := append(slices.Insert(typedProperties("float", names(3)), 3, "float nx", "float ny", "float nz"), "uchar red", "double time")
	for _, test := range []struct {
		name       string
		encoding   ply.Encoding
		degree     int
		properties []string
	}{
		{"no harmonics", ply.LittleEndian, 0, typedProperties("float", names(0))},
		{"degree 1", ply.LittleEndian, 1, typedProperties("float32", names(1))},
		{"degree 2", ply.LittleEndian, 2, typedProperties("float", names(2))},
		{"degree 4", ply.LittleEndian, 4, typedProperties("float", names(4))},
		{"extra properties among them", ply.LittleEndian, 3, normals},
		{"the reverse order", ply.LittleEndian, 3, typedProperties("float", reversed(3))},
		{"doubles", ply.LittleEndian, 1, typedProperties("double", names(1))},
		{"big-endian", ply.BigEndian, 3, normals},
		{"big-endian doubles", ply.BigEndian, 1, typedProperties("float64", reversed(1))},
		{"text", ply.Text, 3, normals},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := randomCloud(9, test.degree)
			f := open(t, encode(test.encoding, gaussians(want, test.properties...)))
			if d := cmp.Diff(ply.Facts{Kind: ply.Gaussians, Encoding: test.encoding, Vertices: 9, Degree: test.degree}, f.Facts()); d != "" {
				t.Errorf("facts: %s", d)
			}
			s, _ := f.Source()
			if got := s.Levels(); !slices.Equal(got, []int{9}) || s.Degree() != test.degree {
				t.Errorf("levels and degree: got %v, %d, want [9], %d", got, s.Degree(), test.degree)
			}
			got := &gaussian.Cloud{}
			if err := s.Read(t.Context(), 0, all(9), got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, near, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("Gaussians (-want +got): %s", d)
			}
			positions := make([]float32, 27)
			if err := s.Positions(t.Context(), 0, positions, nil); err != nil || !slices.Equal(positions, want.Positions) {
				t.Errorf("positions: got %v, %v, want %v", positions, err, want.Positions)
			}
			if err := s.Environment(t.Context(), got); err != nil || got.Len() != 0 {
				t.Errorf("environment: got %d Gaussians, %v, want none", got.Len(), err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

func TestRead_finds_Gaussians_among_other_elements(t *testing.T) {
	t.Parallel()
	want := randomCloud(5, 1)
	before := element{"camera", []string{"short id", "double focal"}, [][]float64{{1, 2}, {3, 4}}}
	after := element{"version", []string{"uchar version"}, [][]float64{{1}, {5}, {0}}}
	lists := element{"label", []string{"list uchar int words"}, [][]float64{{2, 7, 8}, {0}}}
	for name, elements := range map[string][]element{
		"around them":     {before, gaussians(want, typedProperties("float", names(1))...), after},
		"lists behind":    {gaussians(want, typedProperties("float", names(1))...), lists},
		"an empty before": {{"label", lists.properties, nil}, gaussians(want, typedProperties("float", names(1))...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
				got := &gaussian.Cloud{}
				if err := source(t, encode(encoding, elements...)).Read(t.Context(), 0, all(5), got); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got, near); d != "" {
					t.Errorf("%s: Gaussians (-want +got): %s", encoding, d)
				}
			}
		})
	}
}

// The rows are so large, and so many, that far ones are read apart and near ones in
// several blocks.
func TestRead_gathers_any_numbers(t *testing.T) {
	t.Parallel()
	const n = 7000
	want := randomCloud(n, 3)
	s := source(t, encode(ply.LittleEndian, gaussians(want, typedProperties("float", names(3))...)))
	scattered := make([]uint32, 500)
	for i := range scattered {
		scattered[i] = uint32(i * 7919 % n)
	}
	backwards := all(n)
	slices.Reverse(backwards)
	for name, numbers := range map[string][]uint32{
		"all": all(n), "backwards": backwards, "scattered": scattered, "none": nil,
		"repeated": {5, 5, n - 1, 0, 5, n - 1}, "far apart": {0, n / 2, n - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var readers sync.WaitGroup
			for range 3 {
				readers.Go(func() {
					c := &gaussian.Cloud{}
					if err := s.Read(t.Context(), 0, numbers, c); err != nil || c.Len() != len(numbers) {
						t.Errorf("got %d Gaussians, %v, want %d", c.Len(), err, len(numbers))
						return
					}
					for i, number := range numbers {
						if c.Positions[3*i] != want.Positions[3*number] || c.Harmonics[45*i+44] != want.Harmonics[45*number+44] {
							t.Errorf("Gaussian %d is not number %d", i, number)
							return
						}
					}
				})
			}
			readers.Wait()
		})
	}
	if err := s.Read(t.Context(), 0, []uint32{n}, &gaussian.Cloud{}); err == nil {
		t.Error("a number that there is not: got no error")
	}
}

func TestPositions_reports_progress(t *testing.T) {
	t.Parallel()
	const n = 7000
	s := source(t, encode(ply.LittleEndian, gaussians(randomCloud(n, 3), typedProperties("float", names(3))...)))
	var done []int
	if err := s.Positions(t.Context(), 0, make([]float32, 3*n), func(d int) { done = append(done, d) }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(done) || len(done) < 2 || done[len(done)-1] != n {
		t.Errorf("progress: got %v, want rising numbers up to %d", done, n)
	}
}

func TestRead_settles_values(t *testing.T) {
	t.Parallel()
	nan, infinite := math.NaN(), math.Inf(1)
	const root = math.Sqrt2 / 2
	for _, test := range []struct {
		name     string
		property string
		value    float64
		visible  bool
		broken   bool
		check    func(c *gaussian.Cloud) (got, want any)
	}{
		{"a position that is not a number", "y", nan, false, true, func(c *gaussian.Cloud) (any, any) { return c.Positions, []float32{0, 0, 0} }},
		{"an infinite position", "x", -infinite, false, true, func(c *gaussian.Cloud) (any, any) { return c.Positions, []float32{0, 0, 0} }},
		{"a double beyond float32", "x", 1e300, false, true, func(c *gaussian.Cloud) (any, any) { return c.Positions, []float32{0, 0, 0} }},
		{"a scale of minus infinity", "scale_1", -infinite, true, false, func(c *gaussian.Cloud) (any, any) { return c.Scales, []float32{0.5, -27.631021, 0.5} }},
		{"an infinite scale", "scale_0", infinite, false, true, func(c *gaussian.Cloud) (any, any) { return c.Scales, []float32{27.631021, 0.5, 0.5} }},

		{"a scale that is not a number", "scale_2", nan, false, true, func(c *gaussian.Cloud) (any, any) { return c.Scales, []float32{0.5, 0.5, 0} }},
		{"a colour that is not a number", "f_dc_1", nan, false, true, func(c *gaussian.Cloud) (any, any) { return c.Colours, []float32{0.5, 0, 0.5} }},
		{"an infinite harmonic", "f_rest_8", infinite, false, true, func(c *gaussian.Cloud) (any, any) { return c.Harmonics[7:], []float32{0.5, 0} }},
		{"an opacity that is not a number", "opacity", nan, false, true, func(c *gaussian.Cloud) (any, any) { return c.Opacities, []float32{0} }},
		{"an opacity of infinity", "opacity", infinite, true, false, func(c *gaussian.Cloud) (any, any) { return c.Opacities, []float32{1} }},
		{"a rotation of no direction", "rot_0", 0, false, true, func(c *gaussian.Cloud) (any, any) { return c.Rotations, []float32{0, 0, 0, 1} }},
		{"a rotation that is not a number", "rot_2", nan, false, true, func(c *gaussian.Cloud) (any, any) { return c.Rotations, []float32{0, 0, 0, 1} }},
		{"a long rotation", "rot_1", 0.5, true, false, func(c *gaussian.Cloud) (any, any) { return c.Rotations, []float32{root, 0, 0, root} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			row := make([]float64, len(names(1)))
			for i := range row {
				row[i] = 0.5
				if p := names(1)[i]; p == "rot_1" || p == "rot_2" || p == "rot_3" {
					row[i] = 0
				}
			}
			row[slices.Index(names(1), test.property)] = test.value
			c := &gaussian.Cloud{}
			s := source(t, encode(ply.LittleEndian, element{"vertex", typedProperties("double", names(1)), [][]float64{row}}))
			if err := s.Read(t.Context(), 0, all(1), c); err != nil {
				t.Fatal(err)
			}
			if got, want := test.check(c); !cmp.Equal(got, want, near) {
				t.Errorf("got %v, want %v", got, want)
			}
			if got := c.Opacities[0] > 0; got != test.visible {
				t.Errorf("visible: got %t, want %t", got, test.visible)
			}
			p := make([]float32, 3)
			err := s.Positions(t.Context(), 0, p, nil)
			if got := gaussian.IsLeftOut(p) && err != nil; got != test.broken {
				t.Errorf("left out: got %t and %v, want %t", got, err, test.broken)
			}
		})
	}
}

func TestPositions_leaves_out_Gaussians_without_size(t *testing.T) {
	t.Parallel()
	c := randomCloud(200, 0)
	zero := float32(math.Inf(-1))
	c.Scales[0], c.Scales[1], c.Scales[2] = zero, zero, zero
	c.Scales[3] = zero // a disc
	f := open(t, encode(ply.LittleEndian, gaussians(c, typedProperties("float", names(0))...)))
	s, _ := f.Source()
	p := make([]float32, 600)
	if err := s.Positions(t.Context(), 0, p, nil); err != nil {
		t.Fatal(err)
	}
	if !gaussian.IsLeftOut(p) || gaussian.IsLeftOut(p[3:]) || f.Broken() != 1 {
		t.Errorf("got the positions %v and %d broken ones, want the first alone left out", p[:6], f.Broken())
	}
}

func TestPositions_leaves_out_rows_of_zeros(t *testing.T) {
	t.Parallel()
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
		c := randomCloud(1000, 1)
		for i := range 900 {
			blank := c.Slice(i, i+1)
			for _, values := range [][]float32{blank.Positions, blank.Rotations, blank.Scales, blank.Colours, blank.Harmonics} {
				clear(values)
			}
			blank.Opacities[0] = 0.5 // a logit of zero
		}
		f := open(t, encode(encoding, gaussians(c, typedProperties("float", names(1))...)))
		s, _ := f.Source()
		var all gaussian.Cloud
		if err := gaussian.ReadAll(t.Context(), s, 0, &all, nil); err != nil {
			t.Fatal(err)
		}
		bounds, err := f.Bounds(t.Context())
		if err != nil || bounds == nil || f.Broken() != 900 {
			t.Errorf("%s: got the bounds %v, %v and %d broken ones, want 900", encoding, bounds, err, f.Broken())
		}
		p := make([]float32, 3000)
		if err := s.Positions(t.Context(), 0, p, nil); err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			if want := i < 900; gaussian.IsLeftOut(p[3*i:]) != want || gaussian.IsLeftOut(all.Positions[3*i:]) != want || (all.Opacities[i] == 0) != want {
				t.Fatalf("%s: Gaussian %d: got %v and the opacity %g, want it left out: %t", encoding, i, p[3*i:3*i+3], all.Opacities[i], want)
			}
		}
		clear(c.Rotations)
		f = open(t, encode(encoding, gaussians(c, typedProperties("float", names(1))...)))
		_, err = f.Bounds(t.Context())
		wantInputError(t, err, "have no size or no direction: 1000 of 1000")
	}
}

func TestPositions_leaves_out_few_broken_Gaussians(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lost int
		good bool
	}{{20, true}, {21, false}} {
		c := randomCloud(2000, 0)
		for i := range test.lost {
			c.Positions[3*(i*70+5)+1] = float32(math.Inf(1))
		}
		f := open(t, encode(ply.LittleEndian, gaussians(c, typedProperties("float", names(0))...)))
		s, _ := f.Source()
		p := make([]float32, 6000)
		err := s.Positions(t.Context(), 0, p, nil)
		bounds, boundsErr := f.Bounds(t.Context())
		if !test.good {
			wantInputError(t, err, "values that are not finite: 21 of 2000")
			wantInputError(t, boundsErr, "values that are not finite: 21 of 2000")
			continue
		}
		if err != nil || boundsErr != nil {
			t.Fatalf("20 of 2000: got %v, %v, want them tolerated", err, boundsErr)
		}
		if !gaussian.IsLeftOut(p[15:18]) || gaussian.IsLeftOut(p[18:21]) || f.Broken() != 20 {
			t.Errorf("got the positions %v and %d broken ones, want the first and 20 left out", p[15:21], f.Broken())
		}
		if math.IsInf(bounds.Max[1], 0) || bounds.Max[1] < 2 {
			t.Errorf("bounds: got %v, want the bounds of the others", bounds)
		}
	}
}

func TestRead_gives_discs_a_third_scale(t *testing.T) {
	t.Parallel()
	properties := slices.DeleteFunc(names(0), func(p string) bool { return p == "scale_2" })
	want := randomCloud(2, 0)
	f := open(t, encode(ply.LittleEndian, gaussians(want, typedProperties("float", properties)...)))
	if !f.Facts().Flat {
		t.Error("facts: got no discs")
	}
	s, _ := f.Source()
	got := &gaussian.Cloud{}
	if err := s.Read(t.Context(), 0, all(2), got); err != nil {
		t.Fatal(err)
	}
	want.Scales[2], want.Scales[5] = -13.815511, -13.815511
	if d := cmp.Diff(want, got, near, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("Gaussians (-want +got): %s", d)
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 20_000
	for name, degree := range map[string]int{"degree 0": 0, "degree 3": 3} {
		content := encode(ply.LittleEndian, gaussians(randomCloud(n, degree), typedProperties("float", names(degree))...))
		s := source(b, content)
		numbers, c := all(n), &gaussian.Cloud{}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				if err := s.Read(b.Context(), 0, numbers, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
