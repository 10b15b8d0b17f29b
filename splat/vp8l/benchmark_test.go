package vp8l_test

import (
	"io"
	"testing"

	"portico/splat/vp8l"
)

func BenchmarkEncode(b *testing.B) {
	for _, c := range capture(512) {
		b.Run(c.name, func(b *testing.B) {
			var e vp8l.Encoder
			b.SetBytes(int64(len(c.pixels)))
			for b.Loop() {
				if err := e.Encode(io.Discard, c.pixels, c.width, c.height); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
