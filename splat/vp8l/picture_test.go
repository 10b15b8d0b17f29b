package vp8l_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// picture is a test image of red, green, blue and alpha.
type picture struct {
	pixels        []byte
	width, height int
}

// draw returns a picture whose pixel at x, y is f(x, y).
func draw(width, height int, f func(x, y int) [4]byte) picture {
	p := picture{make([]byte, 0, 4*width*height), width, height}
	for y := range height {
		for x := range width {
			c := f(x, y)
			p.pixels = append(p.pixels, c[:]...)
		}
	}
	return p
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// noise returns a picture of random bytes.
func noise(width, height int) picture {
	r := random(uint64(width*31 + height))
	return draw(width, height, func(_, _ int) [4]byte {
		v := r.Uint32()
		return [4]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}
	})
}

func constant(width, height int, c [4]byte) picture {
	return draw(width, height, func(_, _ int) [4]byte { return c })
}

// ramp returns a picture whose channels rise at different rates.
func ramp(width, height int) picture {
	return draw(width, height, func(x, y int) [4]byte {
		return [4]byte{byte(x), byte(x/2 + y), byte(3 * y), byte(255 - y)}
	})
}

// colours returns a picture of n colours in random order.
func colours(width, height, n int) picture {
	r := random(uint64(n))
	palette := make([][4]byte, n)
	for i := range palette {
		palette[i] = [4]byte{byte(i), byte(i * 7), byte(i >> 8), byte(r.IntN(256))}
	}
	at := 0
	return draw(width, height, func(_, _ int) [4]byte {
		at++
		if at <= n {
			return palette[at-1] // every colour occurs at least once
		}
		return palette[r.IntN(n)]
	})
}

// repeatingPicture returns noise that repeats after period pixels.
func repeatingPicture(width, height, period int) picture {
	n := noise(period, 1).pixels
	return draw(width, height, func(x, y int) [4]byte {
		return [4]byte(n[4*((y*width+x)%period):])
	})
}

// texture is a named texture of a SOG capture.
type texture struct {
	name string
	picture
}

// capture returns the textures of a synthetic capture with width*width splats on
// walls and spheres, in Morton order: the low and high bytes of positions, the
// rotations, the scales, and the colours with the opacities.
func capture(width int) []texture {
	r := random(7)
	splats := make([]splat, width*width)
	for i := range splats {
		splats[i] = randomSplat(r)
	}
	slices.SortFunc(splats, func(a, b splat) int { return cmp.Compare(a.morton(), b.morton()) })
	each := func(name string, f func(s *splat) [4]byte) texture {
		return texture{name, draw(width, width, func(x, y int) [4]byte { return f(&splats[y*width+x]) })}
	}
	return []texture{
		each("means_l", func(s *splat) [4]byte {
			return [4]byte{byte(s.position[0]), byte(s.position[1]), byte(s.position[2]), 255}
		}),
		each("means_u", func(s *splat) [4]byte {
			return [4]byte{byte(s.position[0] >> 8), byte(s.position[1] >> 8), byte(s.position[2] >> 8), 255}
		}),
		each("quats", func(s *splat) [4]byte { return s.rotation }),
		each("scales", func(s *splat) [4]byte { return s.scale }),
		each("sh0", func(s *splat) [4]byte { return s.colour }),
	}
}

// splat is a splat with its values as bytes and its position in 65536ths.
type splat struct {
	position                [3]uint16
	rotation, scale, colour [4]byte
}

func randomSplat(r *rand.Rand) (s splat) {
	wall := r.IntN(6)
	u, v := r.Float64(), r.Float64()
	var at [3]float64
	if wall < 4 {
		at[wall%3], at[(wall+1)%3], at[(wall+2)%3] = 0.2*float64(wall)+0.1+0.0002*r.NormFloat64(), u, v
	} else {
		around, up := 2*math.Pi*u, math.Acos(2*v-1)
		at = [3]float64{
			0.5 + 0.1*float64(wall-4) + 0.1*math.Cos(around)*math.Sin(up),
			0.5 + 0.1*math.Sin(around)*math.Sin(up),
			0.4 + 0.1*math.Cos(up),
		}
	}
	bell := func(middle, width float64) byte {
		return byte(min(max(math.Round(middle+width*r.NormFloat64()), 0), 255))
	}
	light := 40 * math.Sin(9*u) * math.Cos(7*v)
	for k := range 3 {
		s.position[k] = uint16(65535 * min(max(at[k], 0), 1))
		s.rotation[k] = bell(128+float64(20*((wall+k)%3)), 25)
		s.scale[k] = bell(150-float64(k*k*10), 20)
		s.colour[k] = bell(100+float64(20*wall)+light, 12)
	}
	s.rotation[3] = byte(252 + r.IntN(4))
	s.scale[3] = 255
	s.colour[3] = bell(200, 80)
	return s
}

// morton interleaves the highest ten bits of the position's coordinates.
func (s splat) morton() (code uint32) {
	for bit := range 10 {
		for k, v := range s.position {
			code |= uint32(v>>(bit+6)&1) << (3*bit + k)
		}
	}
	return code
}
