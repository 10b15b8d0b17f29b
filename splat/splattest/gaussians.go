package splattest

import "math"

// Cloud returns the splats of the finest level of an LCCCapture with this number of splats, in
// order.
func Cloud(count int) []LCCSplat {
	c := LCCCapture{Splats: count, Columns: 2, Rows: 2, Harmonics: true, Seed: 3}
	all := make([]LCCSplat, count)
	for i := range all {
		all[i] = c.Splat(0, i)
	}
	return all
}

// Difference returns the largest differences between a splat and the i-th Gaussian in slices with
// the layout of gaussian.Cloud: positions in metres, logarithms of scales, colours and opacities,
// the angle between rotations in radians, and harmonics up to the degree. Both must have the same
// axes.
func (s LCCSplat) Difference(i int, positions, scales, colours, opacities, rotations, harmonics []float32, degree int) (d Differences) { //nolint:revive // the slices of a gaussian.Cloud, which this package does not import
	const c0 = 0.28209479177387814
	dot := 0.0
	for k := range 3 {
		d.Position = max(d.Position, math.Abs(float64(positions[3*i+k]-s.Position[k])))
		d.Scale = max(d.Scale, math.Abs(float64(scales[3*i+k])-math.Log(s.Scale[k])))
		d.Colour = max(d.Colour, math.Abs(float64(colours[3*i+k])*c0+0.5-float64(s.Colour[k])/255))
	}
	d.Colour = max(d.Colour, math.Abs(float64(opacities[i])-float64(s.Opacity)/255))
	for k := range 4 {
		dot += float64(rotations[4*i+k]) * s.Rotation[k]
	}
	// A quaternion and its negative are the same rotation, hence the absolute value.
	d.Rotation = 2 * math.Acos(min(1, math.Abs(dot)))
	n, held := (degree+1)*(degree+1)-1, len(harmonics)/len(opacities)/3
	for channel := range 3 {
		for k := range held {
			want := 0.0
			if k < n {
				want = s.Harmonics[15*channel+k]
			}
			d.Harmonic = max(d.Harmonic, math.Abs(float64(harmonics[(3*i+channel)*held+k])-want))
		}
	}
	return d
}

// Differences are the differences between a splat and the Gaussian that a reader has returned.
type Differences struct{ Position, Scale, Colour, Rotation, Harmonic float64 }

// Within reports whether no difference is larger than the same difference of the other.
func (d Differences) Within(limit Differences) bool {
	return d.Position <= limit.Position && d.Scale <= limit.Scale && d.Colour <= limit.Colour &&
		d.Rotation <= limit.Rotation && d.Harmonic <= limit.Harmonic
}
