package spz_test

import (
	"fmt"
	"testing"

	"portico/splat/gaussian"
)

func BenchmarkUnpack(b *testing.B) {
	c := randomCloud(50_000, 3)
	for i := range c.Harmonics {
		c.Harmonics[i] /= 16 // real ones are small, which is what compresses
	}
	for _, version := range []uint32{2, 3, 4} {
		content := newDocument(version, c).bytes()
		b.Run(fmt.Sprintf("version %d", version), func(b *testing.B) {
			b.SetBytes(50_000 * 65)
			for b.Loop() {
				f := open(b, content)
				if err := f.Read(b.Context(), 0, []uint32{0}, &gaussian.Cloud{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, degree := range []int{0, 3} {
		f := open(b, newDocument(3, randomCloud(50_000, degree)).bytes())
		numbers, c := all(50_000), &gaussian.Cloud{}
		b.Run(fmt.Sprintf("degree %d", degree), func(b *testing.B) {
			b.SetBytes(int64(50_000 * (20 + 3*gaussian.Coefficients(degree))))
			for b.Loop() {
				if err := f.Read(b.Context(), 0, numbers, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
