package sog

import "math"

// smallPalette is the number of Gaussians up to which the size of a palette does not
// matter.
const smallPalette = 1024

// harmonicsStep is the step to which the harmonics of a chunk are rounded that has an entry
// for each Gaussian, in standard deviations of its values. The error is the step divided by
// the square root of 12, half of the error of a palette of splat-transform's size. The
// images are smaller nevertheless: they are compressed, and rounded values take 4 bits.
const harmonicsStep = 0.3

// paletteSize returns the number of palette entries for n Gaussians: one for each, or as
// many as labels can index.
func paletteSize(n int) int { return min(n, maxPalette) }

// roundedHarmonics returns the values of n Gaussians as a palette stores them. Up to
// maxPalette Gaussians have an entry each, so no two have to share one, and only their
// values are rounded. The values themselves remain unchanged.
func roundedHarmonics(values []float32, n int) []float32 {
	if n <= smallPalette || n > maxPalette || distinctValues(values) != nil {
		return values
	}
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	step := float32(harmonicsStep * math.Sqrt(sum/float64(len(values))))
	if !(step > 0) {
		return values
	}
	rounded := make([]float32, len(values))
	for i, v := range values {
		rounded[i] = step * float32(math.RoundToEven(float64(v/step)))
	}
	return rounded
}
