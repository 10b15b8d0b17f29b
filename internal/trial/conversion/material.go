package main

import "math/rand/v2"

// material holds the harmonics of a surface. As in trained captures, Gaussians of the same
// surface have similar but not equal harmonics.
type material [45]float64

const (
	// materialCount is the number of materials, about the size of a small capture's
	// palette.
	materialCount = 4096
	// grey is the share of a harmonic that is common to all three channels.
	grey = 0.8
	// materialNoise is the deviation of a Gaussian from its material, in standard
	// deviations of the value.
	materialNoise = 0.35
)

// deviations returns the standard deviation of each harmonic of degree 1 to 3. Higher
// degrees are smaller in captures.
func deviations() [15]float64 {
	var all [15]float64
	for i := range all {
		switch {
		case i < 3:
			all[i] = 0.11
		case i < 8:
			all[i] = 0.07
		default:
			all[i] = 0.05
		}
	}
	return all
}

// randomMaterials returns random materials. Their channels are correlated, like reflected
// light.
func randomMaterials() []material {
	r := rand.New(rand.NewPCG(seed, 1<<63)) //nolint:gosec // the same in every run
	all := make([]material, materialCount)
	for i := range all {
		for k, deviation := range deviations() {
			shared := r.NormFloat64()
			for channel := range 3 {
				all[i][15*channel+k] = deviation * (grey*shared + (1-grey)*r.NormFloat64())
			}
		}
	}
	return all
}

// setHarmonics sets the harmonics of a Gaussian: a random material, scaled, plus noise.
func (s *scene) setHarmonics(r *rand.Rand, g *splat) {
	m := &s.materials[r.IntN(materialCount)]
	strength := 0.7 + 0.5*r.Float64()
	for k, deviation := range deviations() {
		for channel := range 3 {
			i := 15*channel + k
			g.harmonics[i] = strength*m[i] + materialNoise*deviation*r.NormFloat64()
		}
	}
}
