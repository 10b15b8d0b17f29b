package palette_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"portico/splat/palette"
)

// floats decodes four bytes per value.
func floats(data []byte) []float32 {
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}

func encode(values []float32) []byte {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func FuzzBuild(f *testing.F) {
	f.Add(encode(harmonics(40, 9, 1)), uint8(9), uint8(7))
	f.Add(encode(harmonics(100, 3, 1)), uint8(3), uint8(50))
	f.Add(encode(values(200, "heavy tails")), uint8(1), uint8(20))
	f.Add(encode([]float32{math.MaxFloat32, -math.MaxFloat32, 1e-45, 0, 3, 3}), uint8(1), uint8(2))
	f.Add(encode([]float32{float32(math.Inf(1)), 1}), uint8(2), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, dimension, size uint8) {
		points := floats(data)
		p, err := palette.Build(t.Context(), points, int(dimension), int(size), palette.Options{Workers: 2, Rounds: 2})
		if err != nil {
			finite := !slices.ContainsFunc(points, func(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) })
			if finite && dimension > 0 && size > 0 && len(points)%int(dimension) == 0 {
				t.Fatalf("error = %v, want none", err)
			}
			return
		}
		entries := len(p.Centroids) / int(dimension)
		if len(p.Centroids)%int(dimension) != 0 || entries > int(size) || len(p.Labels) != len(points)/int(dimension) {
			t.Fatalf("%d values of entries, %d labels for %d points", len(p.Centroids), len(p.Labels), len(points)/int(dimension))
		}
		got, all := make([]bool, entries), &palette.Palette{}
		for _, label := range p.Labels {
			got[label] = true // panics out of range
		}
		if slices.Contains(got, false) {
			t.Errorf("an entry of %d has no point", entries)
		}
		// No palette may be worse than a single entry, the mean of all points.
		all.Labels = make([]uint32, len(p.Labels))
		all.Centroids = means(points, int(dimension))
		if error, bound := rmse(points, int(dimension), p), rmse(points, int(dimension), all); error > bound*(1+1e-6) {
			t.Errorf("error = %v, want at most the error of one entry, %v", error, bound)
		}
	})
}

func means(points []float32, dimension int) []float32 {
	m := make([]float32, dimension)
	for j := range m {
		sum := 0.0
		for i := j; i < len(points); i += dimension {
			sum += float64(points[i])
		}
		m[j] = float32(sum / float64(max(1, len(points)/dimension)))
	}
	return m
}

func FuzzNewCodebook(f *testing.F) {
	for _, kind := range kinds {
		f.Add(encode(values(300, kind)))
	}
	f.Add(encode([]float32{float32(math.NaN()), float32(math.Inf(1)), 1, math.MaxFloat32, -math.MaxFloat32}))
	wide := append(values(264, "normal"), -4.066516e37, // beside which sums lose the other values
		2.0331513e23, 2.0329335e23, 2.0191298e23, 2.0381136e23, 2.0315949e23, 2.0314091e23, 2.0234747e23, 3.4682002e34)
	f.Add(encode(wide))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := floats(data)
		c := palette.NewCodebook(v)
		entries := c.Entries()
		if len(entries) < 1 || len(entries) > 256 || !slices.IsSorted(entries) {
			t.Fatalf("%d entries, ascending %v", len(entries), slices.IsSorted(entries))
		}
		for _, x := range v {
			if !(math.Abs(float64(x)) <= math.MaxFloat32) {
				c.Index(x)
				continue
			}
			got := math.Abs(float64(entries[c.Index(x)]) - float64(x))
			for _, e := range entries {
				if want := math.Abs(float64(e) - float64(x)); want < got {
					t.Fatalf("%v is %v from its entry, want %v", x, got, want)
				}
			}
			if len(v) <= 256 && got != 0 {
				t.Fatalf("%v of %d values is %v from its entry, want it exact", x, len(v), got)
			}
		}
	})
}
