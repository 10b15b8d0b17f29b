package gaussian

// C0 is the constant of the zeroth spherical harmonic, 1/(2*sqrt(pi)): the colour
// of a Gaussian without view dependence is 0.5 + C0*f_dc.
const C0 = 0.28209479177387814

// MaxDegree is the highest degree of spherical harmonics that a Cloud may have.
const MaxDegree = 4

// Coefficients returns the number of harmonics of a colour channel, without the zeroth: 0, 3,
// 8, 15 and 24 for the degrees 0 to 4.
func Coefficients(degree int) int { return (degree+1)*(degree+1) - 1 }

// Cloud is a list of Gaussians as a structure of arrays: each slice contains the values of
// Gaussian 0, then of Gaussian 1, and so on. The zero value is empty, with degree 0. A Cloud
// must not be used concurrently.
type Cloud struct {
	// Degree is the degree of the spherical harmonics, 0 to MaxDegree.
	Degree int
	// Positions are x, y, z, in the axes and the unit of the package comment.
	Positions []float32
	// Rotations are x, y, z, w of a unit quaternion.
	Rotations []float32
	// Scales are the natural logarithms of the three standard deviations.
	Scales []float32
	// Colours are the zeroth harmonics f_dc of red, green and blue.
	Colours []float32
	// Opacities are alpha, 0 to 1. PLY files store the logit of alpha instead.
	Opacities []float32
	// Harmonics are 3*Coefficients(Degree) values for each Gaussian: all of red, then of green,
	// then of blue, in the order of 3DGS f_rest.
	Harmonics []float32
}

// Len returns the number of Gaussians, for which all lists have their values.
func (c *Cloud) Len() int { return len(c.Opacities) }

// Resize sets the number of Gaussians and their degree. It reuses the memory. All values are
// undefined afterwards.
func (c *Cloud) Resize(n, degree int) {
	c.Degree = degree
	c.Positions = resize(c.Positions, 3*n)
	c.Rotations = resize(c.Rotations, 4*n)
	c.Scales = resize(c.Scales, 3*n)
	c.Colours = resize(c.Colours, 3*n)
	c.Opacities = resize(c.Opacities, n)
	c.Harmonics = resize(c.Harmonics, 3*Coefficients(degree)*n)
}

// resize returns a slice of n undefined values. It uses the memory of s if that is large enough.
func resize(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// Slice returns the Gaussians from first up to, but not including, end. They share the memory of
// the cloud. Their capacity ends at end, so that Append to a slice does not overwrite the cloud.
func (c *Cloud) Slice(first, end int) Cloud {
	n := 3 * Coefficients(c.Degree)
	return Cloud{
		Degree:    c.Degree,
		Positions: c.Positions[3*first : 3*end : 3*end],
		Rotations: c.Rotations[4*first : 4*end : 4*end],
		Scales:    c.Scales[3*first : 3*end : 3*end],
		Colours:   c.Colours[3*first : 3*end : 3*end],
		Opacities: c.Opacities[first:end:end],
		Harmonics: c.Harmonics[n*first : n*end : n*end],
	}
}

// Append appends copies of Gaussians of the same degree.
func (c *Cloud) Append(from Cloud) {
	c.Positions = append(c.Positions, from.Positions...)
	c.Rotations = append(c.Rotations, from.Rotations...)
	c.Scales = append(c.Scales, from.Scales...)
	c.Colours = append(c.Colours, from.Colours...)
	c.Opacities = append(c.Opacities, from.Opacities...)
	c.Harmonics = append(c.Harmonics, from.Harmonics...)
}
