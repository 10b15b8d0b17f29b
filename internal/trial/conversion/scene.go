package main

import (
	"math"
	"math/rand/v2"
)

// scene is a synthetic scene like a scan: hilly ground, houses and trees, covered with flat
// Gaussians of lognormal sizes. Every Gaussian is computed from its number, so that a
// capture of any size can be written in constant memory.
type scene struct {
	dataset
	materials []material // nil without harmonics
}

// splat is a Gaussian in the coordinates of LCC: metres, z up.
type splat struct {
	position [3]float64
	colour   [3]float64 // 0 to 1
	opacity  float64
	scale    [3]float64 // standard deviations, in metres
	rotation [4]float64 // x, y, z, w
	// harmonics holds 15 values of red, then of green, then of blue.
	harmonics [45]float64
}

// newScene returns the scene of a dataset. All datasets have the same scene at different
// densities.
func newScene(d dataset) *scene {
	s := &scene{dataset: d}
	if d.harmonics {
		s.materials = randomMaterials()
	}
	return s
}

// levelScale is the factor between the scales of neighbouring levels: half as many
// Gaussians must cover about the same area.
const levelScale = 1.33

// splat returns a Gaussian by its number in the finest level. The seed and the number
// determine its random numbers, so that Gaussians can be computed in any order.
func (s *scene) splat(number int) splat {
	r := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // the same in every run
	p := s.randomSpot(r)
	g := p.newSplat(r)
	if s.materials != nil {
		s.setHarmonics(r, &g)
	}
	return g
}

// environmentSplat returns a Gaussian of the environment by its number.
func (s *scene) environmentSplat(number int) splat {
	g := s.splat(-1 - number)
	r := rand.New(rand.NewPCG(^uint64(seed), uint64(number))) //nolint:gosec // as above
	around, up := 2*math.Pi*r.Float64(), r.Float64()
	const radius = 3 * extent
	flat := radius * math.Sqrt(1-up*up)
	g.position = [3]float64{extent/2 + flat*math.Cos(around), extent/2 + flat*math.Sin(around), radius * up}
	g.scale = [3]float64{4, 4, 0.5}
	g.colour, g.opacity = [3]float64{0.5, 0.7, 0.95}, 0.9
	return g
}

// spot is a point of a surface.
type spot struct {
	position, normal [3]float64
	u, v             float64 // where on the surface, for its texture
	colour           [3]float64
}

// randomSpot returns a random point: 35 % are on the ground, 40 % on houses and 25 % on
// trees.
func (s *scene) randomSpot(r *rand.Rand) spot {
	switch kind := r.Float64(); {
	case kind < 0.35:
		return ground(r)
	case kind < 0.75:
		return house(r)
	default:
		return tree(r)
	}
}

// ground returns a point of a meadow with hills of 40 centimetres.
func ground(r *rand.Rand) spot {
	x, y := r.Float64()*extent, r.Float64()*extent
	return spot{
		position: [3]float64{x, y, 0.4 * math.Sin(x*0.2) * math.Cos(y*0.17)},
		normal:   [3]float64{0, 0, 1}, u: x, v: y,
		colour: [3]float64{0.35, 0.4, 0.25},
	}
}

// house returns a point on one of 24 boxes in a grid of 6 by 4: on a wall or on the roof.
func house(r *rand.Rand) spot {
	n := r.IntN(24)
	middle := [2]float64{(float64(n%6) + 0.5) * extent / 6, (float64(n/6) + 0.5) * extent / 4}
	width, height := 2+float64(n%5), 3+float64(n*7%9)
	face, along, up := r.IntN(5), 2*r.Float64()-1, r.Float64()
	p := spot{
		u: 3 * along * width, v: 3 * up * height,
		colour: [3]float64{0.6 + 0.03*float64(n%7), 0.55, 0.5 + 0.02*float64(n%5)},
	}
	if face == 4 {
		p.position = [3]float64{middle[0] + along*width, middle[1] + (2*up-1)*width, height}
		p.normal = [3]float64{0, 0, 1}
		return p
	}
	across, side := face/2, 1-2*float64(face%2)
	p.normal[across] = side
	p.position[across] = middle[across] + side*width
	p.position[1-across] = middle[1-across] + along*width
	p.position[2] = up * height
	return p
}

// tree returns a point in one of 60 balls, which are denser at their surface.
func tree(r *rand.Rand) spot {
	n := float64(r.IntN(60))
	around, down := 2*math.Pi*r.Float64(), math.Acos(2*r.Float64()-1)
	radius := 1.5 * math.Pow(r.Float64(), 0.2)
	normal := [3]float64{math.Sin(down) * math.Cos(around), math.Sin(down) * math.Sin(around), math.Cos(down)}
	return spot{
		position: [3]float64{
			math.Mod(n*7.31, extent) + radius*normal[0],
			math.Mod(n*13.7, extent) + radius*normal[1],
			3 + radius*normal[2],
		},
		normal: normal, u: 3 * around, v: 3 * down,
		colour: [3]float64{0.2, 0.45, 0.15},
	}
}

// newSplat returns a flat Gaussian near the spot, slightly tilted and coloured by the
// texture.
func (p spot) newSplat(r *rand.Rand) splat {
	var g splat
	for k := range 3 {
		g.position[k] = p.position[k] + 0.01*r.NormFloat64()
		g.colour[k] = clamp(p.colour[k]+0.25*texture(p.u, p.v, k)+0.05*r.NormFloat64(), 0, 1)
	}
	g.opacity = clamp(1/(1+math.Exp(-2.5*r.NormFloat64()-1)), 0.0051, 0.9999)
	size := math.Exp(0.8*r.NormFloat64() - 3.4)
	g.scale = [3]float64{
		size * math.Exp(0.5*r.NormFloat64()),
		size * math.Exp(0.5*r.NormFloat64()),
		0.12 * size * math.Exp(0.6*r.NormFloat64()),
	}
	normal := p.normal
	for k := range normal {
		normal[k] += 0.08 * r.NormFloat64()
	}
	g.rotation = rotationFacing(normal, 2*math.Pi*r.Float64())
	return g
}

// texture returns a pattern of five octaves between about -1 and 1.
func texture(u, v float64, channel int) float64 {
	sum, weight := 0.0, 0.5
	for octave := range 5 {
		fine := float64(int(1) << octave)
		sum += weight * math.Sin(0.7*u*fine+1.7*float64(channel)+math.Sin(0.9*v*fine+float64(octave)))
		weight *= 0.55
	}
	return sum
}

// rotationFacing returns the rotation x, y, z, w about z by an angle in radians, followed by the
// rotation of z to the normal, which may have any length.
func rotationFacing(normal [3]float64, turn float64) [4]float64 {
	length := math.Sqrt(normal[0]*normal[0] + normal[1]*normal[1] + normal[2]*normal[2])
	x, y, z := normal[0]/length, normal[1]/length, normal[2]/length
	tilt := [4]float64{1, 0, 0, 0} // straight down
	if z > -0.9999 {
		length := math.Sqrt(2 * (1 + z))
		tilt = [4]float64{-y / length, x / length, 0, (1 + z) / length}
	}
	sin, cos := math.Sincos(turn / 2)
	return [4]float64{
		tilt[0]*cos + tilt[1]*sin,
		tilt[1]*cos - tilt[0]*sin,
		tilt[3]*sin + tilt[2]*cos,
		tilt[3]*cos - tilt[2]*sin,
	}
}

func clamp(v, low, high float64) float64 { return min(max(v, low), high) }
