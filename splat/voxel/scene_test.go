package voxel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"portico/splat/gaussian"
)

// scene collects Gaussians in the coordinates of 3DGS PLY files: y is down.
type scene struct{ gaussian.Cloud }

// add adds a Gaussian with an identity rotation if q is nil.
func (s *scene) add(p, scales [3]float64, q *[4]float64, alpha float64) {
	if q == nil {
		q = &[4]float64{0, 0, 0, 1}
	}
	for k := range 3 {
		s.Positions = append(s.Positions, float32(p[k]))
		s.Scales = append(s.Scales, float32(math.Log(scales[k])))
		s.Colours = append(s.Colours, 0)
	}
	for _, v := range q {
		s.Rotations = append(s.Rotations, float32(v))
	}
	s.Opacities = append(s.Opacities, float32(alpha))
}

// source returns the scene as a capture of one level.
func (s *scene) source() gaussian.Source { return gaussian.NewMemory(nil, &s.Cloud) }

// slab fills a box with Gaussians a step apart.
func (s *scene) slab(low, high [3]float64, step float64) {
	for x := low[0]; x <= high[0]; x += step {
		for y := low[1]; y <= high[1]; y += step {
			for z := low[2]; z <= high[2]; z += step {
				s.add([3]float64{x, y, z}, [3]float64{step / 2, step / 2, step / 2}, nil, 0.9)
			}
		}
	}
}

// scatter adds rotated, partly transparent Gaussians in a box.
func (s *scene) scatter(random *rand.Rand, n int, low, high [3]float64) {
	for range n {
		var p, scales [3]float64
		for k := range 3 {
			p[k] = low[k] + (high[k]-low[k])*random.Float64()
			scales[k] = 0.005 + 0.085*random.Float64()
		}
		var q [4]float64
		length := 0.0
		for k := range q {
			q[k] = random.NormFloat64()
			length += q[k] * q[k]
		}
		for k := range q {
			q[k] /= math.Sqrt(length)
		}
		s.add(p, scales, &q, 0.1+0.88*random.Float64())
	}
}

// ply returns the scene as a PLY file.
func (s *scene) ply() []byte {
	var b bytes.Buffer
	n := s.Len()
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", n)
	for _, name := range []string{
		"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity",
		"scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3",
	} {
		fmt.Fprintf(&b, "property float %s\n", name)
	}
	b.WriteString("end_header\n")
	for i := range n {
		var v []float32
		v = append(v, s.Positions[3*i:][:3]...)
		v = append(v, s.Colours[3*i:][:3]...)
		alpha := float64(s.Opacities[i])
		v = append(v, float32(math.Log(alpha/(1-alpha))))
		v = append(v, s.Scales[3*i:][:3]...)
		v = append(v, s.Rotations[4*i+3], s.Rotations[4*i], s.Rotations[4*i+1], s.Rotations[4*i+2])
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// courtyard returns a floor with walls on two sides and some tilted Gaussians in the
// middle: 1.2 m wide and 0.6 m high, open above. The floor is at y 0.
func courtyard(tilted int) *scene {
	s := &scene{}
	s.slab([3]float64{-0.6, 0, -0.5}, [3]float64{0.6, 0.01, 0.5}, 0.08)
	s.slab([3]float64{-0.6, -0.6, 0.5}, [3]float64{0.6, 0, 0.51}, 0.08)
	s.slab([3]float64{-0.61, -0.6, -0.5}, [3]float64{-0.6, 0, 0.5}, 0.08)
	random := rand.New(rand.NewPCG(1, 2))
	s.scatter(random, tilted, [3]float64{0.1, -0.2, -0.2}, [3]float64{0.4, 0, 0.2})
	return s
}

// room returns a courtyard with the other walls and a ceiling.
func room() *scene {
	s := courtyard(20)
	s.slab([3]float64{-0.6, -0.6, -0.51}, [3]float64{0.6, 0, -0.5}, 0.08)
	s.slab([3]float64{0.6, -0.6, -0.5}, [3]float64{0.61, 0, 0.5}, 0.08)
	s.slab([3]float64{-0.6, -0.61, -0.5}, [3]float64{0.6, -0.6, 0.5}, 0.08)
	return s
}
