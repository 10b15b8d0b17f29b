package palette_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/palette"
)

// harmonics returns the coefficients of n splats with the statistics of trained
// captures: the three channels are nearly equal, higher bands are smaller, a few
// directions of light explain half of the variance, and few splats have large values.
// Dimensions 9, 24 and 45 have three channels; a dimension that three does not divide
// has one.
func harmonics(n, dimension int, seed uint64) []float32 {
	const lights = 12
	r := rand.New(rand.NewPCG(seed, 1))
	shape := rand.New(rand.NewPCG(99, 1)) // of the scene, the same for all seeds
	channels := 1
	if dimension%3 == 0 {
		channels = 3
	}
	perChannel := dimension / channels
	size := make([]float64, perChannel)
	for j := range size {
		band := math.Floor(math.Sqrt(float64(j + 1)))
		size[j] = 0.12 / band
	}
	var directions [lights][]float64
	for l := range directions {
		directions[l] = make([]float64, perChannel)
		for j := range directions[l] {
			directions[l][j] = shape.NormFloat64() * size[j] / math.Sqrt(float64(l+1))
		}
	}
	points := make([]float32, n*dimension)
	grey, part := make([]float64, perChannel), [lights]float64{}
	for i := range n {
		amplitude := math.Exp(0.7*r.NormFloat64() - 0.6)
		for l := range part {
			part[l] = r.NormFloat64()
		}
		for j := range grey {
			grey[j] = 0.5 * r.NormFloat64() * size[j]
			for l, direction := range directions {
				grey[j] += part[l] * direction[j]
			}
		}
		for j := range dimension {
			v := grey[j%perChannel] + 0.35*r.NormFloat64()*size[j%perChannel]
			points[i*dimension+j] = float32(amplitude * v)
		}
	}
	return points
}

// rmse returns the root mean square error of a palette's values.
func rmse(points []float32, dimension int, p *palette.Palette) float64 {
	sum := 0.0
	for i, label := range p.Labels {
		point := points[i*dimension : (i+1)*dimension]
		entry := p.Centroids[int(label)*dimension:][:dimension]
		for j, v := range point {
			d := float64(v) - float64(entry[j])
			sum += d * d
		}
	}
	return math.Sqrt(sum / float64(len(points)))
}

// lloyd is the textbook's k-means: it starts from random points and compares each
// point with each entry.
func lloyd(points []float32, dimension, size, rounds int) *palette.Palette {
	n := len(points) / dimension
	r := rand.New(rand.NewPCG(5, 6))
	p := &palette.Palette{Centroids: make([]float32, size*dimension), Labels: make([]uint32, n)}
	for e, i := range r.Perm(n)[:size] {
		copy(p.Centroids[e*dimension:(e+1)*dimension], points[i*dimension:])
	}
	assign(points, dimension, p)
	for range rounds {
		sums, counts := make([]float64, len(p.Centroids)), make([]float64, size)
		for i, label := range p.Labels {
			counts[label]++
			for j, v := range points[i*dimension : (i+1)*dimension] {
				sums[int(label)*dimension+j] += float64(v)
			}
		}
		for i, sum := range sums {
			if count := counts[i/dimension]; count > 0 {
				p.Centroids[i] = float32(sum / count)
			}
		}
		assign(points, dimension, p)
	}
	return p
}

// assign labels each point with the nearest entry.
func assign(points []float32, dimension int, p *palette.Palette) {
	for i := range p.Labels {
		point := points[i*dimension : (i+1)*dimension]
		shortest := float32(math.MaxFloat32)
		for e := range len(p.Centroids) / dimension {
			entry := p.Centroids[e*dimension:][:len(point)]
			sum := float32(0)
			for j, v := range point {
				sum += (v - entry[j]) * (v - entry[j])
				if sum >= shortest {
					break
				}
			}
			if sum < shortest {
				shortest = sum
				p.Labels[i] = uint32(e)
			}
		}
	}
}

func build(t *testing.T, points []float32, dimension, size int, o palette.Options) *palette.Palette {
	t.Helper()
	p, err := palette.Build(t.Context(), points, dimension, size, o)
	if err != nil {
		t.Fatalf("Build(%d points of %d, %d) = %v", len(points)/dimension, dimension, size, err)
	}
	return p
}
