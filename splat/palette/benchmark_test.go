package palette_test

import (
	"fmt"
	"testing"

	"portico/splat/palette"
)

// BenchmarkBuild runs on one worker, so that it measures processor time.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct{ n, dimension, size int }{
		{131072, 45, 16384},
		{32768, 45, 4096},
		{32768, 24, 4096},
		{32768, 9, 4096},
		{8192, 45, 1024},
		{8192, 45, 6000},
	} {
		b.Run(fmt.Sprintf("points=%d/dimension=%d/size=%d", c.n, c.dimension, c.size), func(b *testing.B) {
			points := harmonics(c.n, c.dimension, 1)
			var p *palette.Palette
			for b.Loop() {
				var err error
				p, err = palette.Build(b.Context(), points, c.dimension, c.size, palette.Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
			}
			report(b, points, c.dimension, p)
		})
	}
}

// BenchmarkLloyd is the reference for Build: ten rounds of flat k-means.
func BenchmarkLloyd(b *testing.B) {
	const n, dimension, size = 8192, 45, 1024
	points := harmonics(n, dimension, 1)
	var p *palette.Palette
	for b.Loop() {
		p = lloyd(points, dimension, size, 10)
	}
	report(b, points, dimension, p)
}

func report(b *testing.B, points []float32, dimension int, p *palette.Palette) {
	b.Helper()
	each := float64(b.Elapsed().Microseconds()) / float64(b.N) / float64(len(p.Labels))
	b.ReportMetric(each, "us/point")
	b.ReportMetric(rmse(points, dimension, p), "rmse")
}

func BenchmarkNewCodebook(b *testing.B) {
	for _, n := range []int{10000, 1000000} {
		b.Run(fmt.Sprintf("values=%d", n), func(b *testing.B) {
			v := values(n, "two scales")
			b.SetBytes(int64(4 * n))
			for b.Loop() {
				palette.NewCodebook(v)
			}
		})
	}
}

func BenchmarkCodebook_Index(b *testing.B) {
	v := values(100000, "two scales")
	c := palette.NewCodebook(v)
	b.SetBytes(int64(4 * len(v)))
	for b.Loop() {
		for _, x := range v {
			c.Index(x)
		}
	}
}
