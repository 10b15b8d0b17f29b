package main

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// difference holds the differences between the original's Gaussians and the finest level of a
// result. All figures but the first two are over the pairs of partners.
type difference struct {
	// unmatched is the number of original Gaussians without a partner, duplicates the
	// number of original Gaussians whose partner is taken already.
	unmatched, duplicates int
	// Distances of positions in millimetres; the mean also in steps of the stored
	// 16-bit values.
	positionMean, positionP99, positionMax, positionSteps float64
	// Angles between rotations in degrees.
	rotationMean, rotationMax float64
	// Maximum differences in units of 1/255, and the share of Gaussians that differ by
	// half a unit or more.
	colourMax, opacityMax     float64
	colourShare, opacityShare float64
	// Differences of the logarithms of scales.
	scaleRMS, scaleMax float64
	// harmonicsRMS is the root of the mean square of all coefficients. It is infinite if the result
	// has another degree.
	harmonicsRMS float64
}

// compareClouds matches the Gaussians of a result with the original's and compares them.
func compareClouds(original *gaussian.Cloud, made *stream) difference {
	partners, duplicates := match(original, made)
	sums := sums{original: original, made: made}
	for i, j := range partners {
		if j != none {
			sums.add(i, int(j))
		}
	}
	d := sums.result()
	d.unmatched, d.duplicates = original.Len()-sums.n, duplicates
	return d
}

// sums adds up the differences of pairs.
type sums struct {
	original *gaussian.Cloud
	made     *stream

	n         int
	distances []float64 // in metres
	steps     float64
	angles    float64 // in radians
	scale     float64 // squares
	harmonics float64 // squares

	scales, coefficients int // number of squares
	colours, opacities   int // number that differ
	maxima               difference
}

// add adds the differences of Gaussian i of the original and Gaussian j of the result.
func (s *sums) add(i, j int) {
	a, b := s.original, s.made.cloud
	s.n++
	square, steps := 0.0, 0.0
	for k := range 3 {
		off := float64(a.Positions[3*i+k] - b.Positions[3*j+k])
		square += off * off
		off /= s.made.step(j, k)
		steps += off * off
		size := math.Abs(float64(a.Scales[3*i+k] - b.Scales[3*j+k]))
		s.scale += size * size
		s.scales++
		s.maxima.scaleMax = max(s.maxima.scaleMax, size)
	}
	s.distances = append(s.distances, math.Sqrt(square))
	s.steps += math.Sqrt(steps)
	angle := angleBetween(a.Rotations[4*i:4*i+4], b.Rotations[4*j:4*j+4])
	s.angles += angle
	s.maxima.rotationMax = max(s.maxima.rotationMax, angle)
	s.addAppearance(i, j)
}

// addAppearance adds the differences of colours, opacities and harmonics.
func (s *sums) addAppearance(i, j int) {
	a, b := s.original, s.made.cloud
	colour := 0.0
	for k := range 3 {
		colour = max(colour, 255*gaussian.C0*math.Abs(float64(a.Colours[3*i+k]-b.Colours[3*j+k])))
	}
	opacity := 255 * math.Abs(float64(a.Opacities[i]-b.Opacities[j]))
	s.maxima.colourMax, s.maxima.opacityMax = max(s.maxima.colourMax, colour), max(s.maxima.opacityMax, opacity)
	if colour >= 0.5 {
		s.colours++
	}
	if opacity >= 0.5 {
		s.opacities++
	}
	values := 3 * gaussian.Coefficients(a.Degree)
	if b.Degree != a.Degree {
		values = 0
		s.harmonics, s.coefficients = math.Inf(1), 1 // harmonics are lost
	}
	for k := range values {
		off := float64(a.Harmonics[values*i+k] - b.Harmonics[values*j+k])
		s.harmonics += off * off
	}
	s.coefficients += values
}

// angleBetween returns the angle between two rotations x, y, z, w in radians. It uses the
// chord, which is precise for small angles; the cosine is not.
func angleBetween(a, b []float32) float64 {
	same, opposite := 0.0, 0.0
	for k := range 4 {
		difference, sum := float64(a[k]-b[k]), float64(a[k]+b[k])
		same += difference * difference
		opposite += sum * sum
	}
	return 4 * math.Asin(min(math.Sqrt(min(same, opposite))/2, 1))
}

// result returns the differences of all pairs. Without pairs, they are zero.
func (s *sums) result() difference {
	d := s.maxima
	if s.n == 0 {
		return d
	}
	slices.Sort(s.distances)
	const millimetres, degrees = 1000, 180 / math.Pi
	total := 0.0
	for _, distance := range s.distances {
		total += distance
	}
	n := float64(s.n)
	d.positionMean, d.positionMax = millimetres*total/n, millimetres*s.distances[s.n-1]
	d.positionP99 = millimetres * percentile(s.distances, 99)
	d.positionSteps = s.steps / n
	d.rotationMean, d.rotationMax = degrees*s.angles/n, degrees*d.rotationMax
	d.colourShare, d.opacityShare = float64(s.colours)/n, float64(s.opacities)/n
	d.scaleRMS = math.Sqrt(s.scale / float64(s.scales))
	if s.coefficients > 0 {
		d.harmonicsRMS = math.Sqrt(s.harmonics / float64(s.coefficients))
	}
	return d
}

// percentile returns the smallest value that p percent of the sorted values do not exceed.
// There must be at least one value.
func percentile(sorted []float64, p int) float64 {
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}
