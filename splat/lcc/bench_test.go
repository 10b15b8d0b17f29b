package lcc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/splattest"
)

// benchmarkCapture is large enough to be read in many blocks.
func benchmarkCapture(harmonics bool) splattest.LCCCapture {
	return splattest.LCCCapture{Splats: 200_000, Levels: 2, Columns: 8, Rows: 8, Harmonics: harmonics}
}

func BenchmarkOpen(b *testing.B) {
	files := folder.Memory(splattest.LCCCapture{Splats: 50_000, Levels: 5, Columns: 100, Rows: 100}.Memory())
	for b.Loop() {
		open(b, files)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, harmonics := range []bool{false, true} {
		c := open(b, folder.Memory(benchmarkCapture(harmonics).Memory()))
		for _, shuffled := range []bool{false, true} {
			b.Run(fmt.Sprintf("harmonics=%v/shuffled=%v", harmonics, shuffled), func(b *testing.B) {
				order := numbers(50_000, 150_000)
				if shuffled {
					rand.New(rand.NewPCG(1, 1)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				}
				cloud := &gaussian.Cloud{}
				b.ReportAllocs()
				for b.Loop() {
					if err := c.Read(b.Context(), 0, order, cloud); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(order)), "ns/splat")
			})
		}
	}
}

func BenchmarkPositions(b *testing.B) {
	c := open(b, folder.Memory(benchmarkCapture(false).Memory()))
	p := make([]float32, 3*200_000)
	for b.Loop() {
		if err := c.Positions(b.Context(), 0, p, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*200_000), "ns/splat")
}
