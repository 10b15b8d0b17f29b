package main

import (
	"image"
	"math"
)

// signalToNoise returns how near a picture comes to another of the same size, as
// the peak signal-to-noise ratio of red, green and blue in dB: infinite when they
// are the same.
func signalToNoise(want, got *image.RGBA) float64 {
	sum, n := 0.0, 0
	for i := range want.Pix {
		if i%4 == 3 {
			continue // all are opaque
		}
		off := float64(want.Pix[i]) - float64(got.Pix[i])
		sum += off * off
		n++
	}
	return 10 * math.Log10(255*255*float64(n)/sum)
}
