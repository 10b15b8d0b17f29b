package main

import (
	"image"
	"math"
)

// signalToNoise returns the peak signal-to-noise ratio of two pictures of the same size in
// dB, over red, green and blue. It is infinite if they are equal.
func signalToNoise(want, got *image.RGBA) float64 {
	sum, n := 0.0, 0
	for i := range want.Pix {
		if i%4 == 3 {
			continue // alpha is always 255
		}
		off := float64(want.Pix[i]) - float64(got.Pix[i])
		sum += off * off
		n++
	}
	return 10 * math.Log10(255*255*float64(n)/sum)
}
