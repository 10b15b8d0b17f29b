package ply_test

import (
	"math"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// onMap returns the element of a cloud as doubles, moved to the coordinates of a map.
func onMap(c *gaussian.Cloud, kind string, by [3]float64) element {
	e := gaussians(c, typedProperties(kind, names(c.Degree))...)
	for _, row := range e.rows {
		for axis, v := range by {
			row[axis] += v
		}
	}
	return e
}

func TestPositions_of_a_map_lose_no_precision(t *testing.T) {
	t.Parallel()
	by := [3]float64{691_234.25, 5_336_123.5, 515}
	c := randomCloud(3000, 1)
	c.Positions[0], c.Positions[4] = 1e7, -1e7 // outliers decide nothing
	for _, encoding := range []ply.Encoding{ply.LittleEndian, ply.BigEndian, ply.Text} {
		f := open(t, encode(encoding, onMap(c, "double", by)))
		if want := [3]float64{691_000, 5_336_000, 0}; f.Facts().Offset != want {
			t.Errorf("%s: got the offset %v, want %v", encoding, f.Facts().Offset, want)
		}
		s, _ := f.Source()
		p := make([]float32, 9000)
		if err := s.Positions(t.Context(), 0, p, nil); err != nil {
			t.Fatal(err)
		}
		var read, whole gaussian.Cloud
		if err := s.Read(t.Context(), 0, all(3000), &read); err != nil {
			t.Fatal(err)
		}
		if err := gaussian.ReadAll(t.Context(), s, 0, &whole, nil); err != nil {
			t.Fatal(err)
		}
		local := [3]float64{234.25, 123.5, 515}
		for i := 2; i < 3000; i++ {
			for axis := range 3 {
				want := float64(c.Positions[3*i+axis]) + local[axis]
				for _, got := range []float32{p[3*i+axis], read.Positions[3*i+axis], whole.Positions[3*i+axis]} {
					if math.Abs(float64(got)-want) > 1e-4 {
						t.Fatalf("%s: position %d: got %g, want %g", encoding, i, got, want)
					}
				}
			}
		}
		bounds, err := f.Bounds(t.Context())
		if err != nil || math.Abs(bounds.Max[1]-(float64(maximum(c, 1))+by[1])) > 0.001 {
			t.Errorf("%s: got the bounds %v, %v, want them on the map", encoding, bounds, err)
		}
	}
}

// maximum returns the maximum of a coordinate.
func maximum(c *gaussian.Cloud, axis int) float32 {
	highest := c.Positions[axis]
	for i := range c.Len() {
		highest = max(highest, c.Positions[3*i+axis])
	}
	return highest
}

func TestPositions_near_the_origin_have_no_offset(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *gaussian.Cloud){
		"as usual": func(*gaussian.Cloud) {},
		"a few outliers": func(c *gaussian.Cloud) {
			for i := range 100 {
				c.Positions[3*i] = 1e6
			}
		},
		"a large scene": func(c *gaussian.Cloud) {
			for i := range c.Positions {
				c.Positions[i] *= 1e5
			}
		},
		"no positions": func(c *gaussian.Cloud) {
			for i := range 1100 {
				c.Positions[3*i] = float32(math.NaN())
			}
		},
	} {
		c := randomCloud(3000, 0)
		change(c)
		if got := open(t, encode(ply.LittleEndian, gaussians(c, typedProperties("float", names(0))...))).Facts().Offset; got != [3]float64{} {
			t.Errorf("%s: got the offset %v, want none", name, got)
		}
	}
}
