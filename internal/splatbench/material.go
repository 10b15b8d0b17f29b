package main

import "math/rand/v2"

// material is how a surface looks from all sides, as the harmonics of a trained
// capture do: what Gaussians have of it is alike, not the same.
type material [45]float64

const (
	// materialCount is how many there are, about as many as a palette has room
	// for in a small capture.
	materialCount = 4096
	// grey is the part of a harmonic that all three channels share.
	grey = 0.8
	// unlike is how far a Gaussian is off its material, in standard deviations of
	// the value.
	unlike = 0.35
)

// deviations returns the standard deviation of each harmonic of degree 1 to 3:
// fine ones are small in captures.
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

// newMaterials makes them up: colours change together, as light that is reflected
// does.
func newMaterials() []material {
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

// shine sets the harmonics: those of a material, weaker or stronger, and noise.
func (s *scene) shine(r *rand.Rand, g *splat) {
	m := &s.materials[r.IntN(materialCount)]
	strength := 0.7 + 0.5*r.Float64()
	for k, deviation := range deviations() {
		for channel := range 3 {
			i := 15*channel + k
			g.harmonics[i] = strength*m[i] + unlike*deviation*r.NormFloat64()
		}
	}
}
