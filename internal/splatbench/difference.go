package main

import (
	"math"
	"slices"

	"portico/splat/gaussian"
)

// difference is how far the finest level that a contender made is from the
// original, Gaussian by Gaussian.
type difference struct {
	// unmatched Gaussians of the original are not where they should be; twice is
	// how many of the contender's stand for more than one.
	unmatched, twice int
	// Distances of positions: in millimetres, and the mean also in steps of the
	// 16-bit numbers that they are stored as.
	positionMean, positionP99, positionMax, positionSteps float64
	// Angles between rotations, in degrees.
	rotationMean, rotationMax float64
	// Largest differences, in parts of 255, and the part of the Gaussians that
	// differ by half of one or more.
	colourMax, opacityMax   float64
	colourOther, opacityOff float64
	// Differences of the logarithms of sizes.
	scaleRMS, scaleMax float64
	harmonicsRMS       float64
}

// compareClouds matches the Gaussians and compares them.
func compareClouds(of *gaussian.Cloud, made *stream) difference {
	partners, twice := match(of, made)
	sums := sums{of: of, made: made}
	for i, j := range partners {
		if j != none {
			sums.add(i, int(j))
		}
	}
	d := sums.result()
	d.unmatched, d.twice = of.Len()-sums.n, twice
	return d
}

// sums collects the differences of pairs.
type sums struct {
	of   *gaussian.Cloud
	made *stream

	n         int
	distances []float64 // in metres
	steps     float64
	angles    float64 // in radians
	scale     float64 // squares
	harmonics float64 // squares

	scales, coefficients int // how many squares
	colours, opacities   int // how many differ
	most                 difference
}

// add compares the i-th Gaussian of the original with the j-th that was made.
func (s *sums) add(i, j int) {
	a, b := s.of, s.made.cloud
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
		s.most.scaleMax = max(s.most.scaleMax, size)
	}
	s.distances = append(s.distances, math.Sqrt(square))
	s.steps += math.Sqrt(steps)
	angle := angleBetween(a.Rotations[4*i:4*i+4], b.Rotations[4*j:4*j+4])
	s.angles += angle
	s.most.rotationMax = max(s.most.rotationMax, angle)
	s.addLook(i, j)
}

// addLook compares colours, opacities and harmonics.
func (s *sums) addLook(i, j int) {
	a, b := s.of, s.made.cloud
	colour := 0.0
	for k := range 3 {
		colour = max(colour, 255*gaussian.C0*math.Abs(float64(a.Colours[3*i+k]-b.Colours[3*j+k])))
	}
	opacity := 255 * math.Abs(float64(a.Opacities[i]-b.Opacities[j]))
	s.most.colourMax, s.most.opacityMax = max(s.most.colourMax, colour), max(s.most.opacityMax, opacity)
	if colour >= 0.5 {
		s.colours++
	}
	if opacity >= 0.5 {
		s.opacities++
	}
	values := 3 * gaussian.Coefficients(a.Degree)
	if b.Degree != a.Degree {
		values = 0
		s.harmonics, s.coefficients = math.Inf(1), 1 // they are lost
	}
	for k := range values {
		off := float64(a.Harmonics[values*i+k] - b.Harmonics[values*j+k])
		s.harmonics += off * off
	}
	s.coefficients += values
}

// angleBetween returns the angle in radians between two rotations x, y, z, w. The
// chord is exact for small angles, where the cosine is not.
func angleBetween(a, b []float32) float64 {
	same, opposite := 0.0, 0.0
	for k := range 4 {
		difference, sum := float64(a[k]-b[k]), float64(a[k]+b[k])
		same += difference * difference
		opposite += sum * sum
	}
	return 4 * math.Asin(min(math.Sqrt(min(same, opposite))/2, 1))
}

// result returns what has been collected, of nothing zero.
func (s *sums) result() difference {
	d := s.most
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
	d.colourOther, d.opacityOff = float64(s.colours)/n, float64(s.opacities)/n
	d.scaleRMS = math.Sqrt(s.scale / float64(s.scales))
	if s.coefficients > 0 {
		d.harmonicsRMS = math.Sqrt(s.harmonics / float64(s.coefficients))
	}
	return d
}

// percentile returns the smallest value that p percent of the sorted values, of
// which there are some, do not exceed.
func percentile(sorted []float64, p int) float64 {
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}
