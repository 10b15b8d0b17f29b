package voxel_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/voxel"
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
func (s *scene) source() gaussian.Source { return gaussian.NewMemorySource(nil, &s.Cloud) }

// addSlab fills a box with Gaussians a step apart.
func (s *scene) addSlab(low, high [3]float64, step float64) {
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
	s.addSlab([3]float64{-0.6, 0, -0.5}, [3]float64{0.6, 0.01, 0.5}, 0.08)
	s.addSlab([3]float64{-0.6, -0.6, 0.5}, [3]float64{0.6, 0, 0.51}, 0.08)
	s.addSlab([3]float64{-0.61, -0.6, -0.5}, [3]float64{-0.6, 0, 0.5}, 0.08)
	random := rand.New(rand.NewPCG(1, 2))
	s.scatter(random, tilted, [3]float64{0.1, -0.2, -0.2}, [3]float64{0.4, 0, 0.2})
	return s
}

// room returns a courtyard with the other walls and a ceiling.
func room() *scene {
	s := courtyard(20)
	s.addSlab([3]float64{-0.6, -0.6, -0.51}, [3]float64{0.6, 0, -0.5}, 0.08)
	s.addSlab([3]float64{0.6, -0.6, -0.5}, [3]float64{0.61, 0, 0.5}, 0.08)
	s.addSlab([3]float64{-0.6, -0.61, -0.5}, [3]float64{0.6, -0.6, 0.5}, 0.08)
	return s
}

// addPlate adds flat Gaussians that face along an axis: the box from low to high, in which
// that axis has no thickness.
func (s *scene) addPlate(axis int, low, high [3]float64, step float64) {
	size := [3]float64{step * 0.7, step * 0.7, step * 0.7}
	size[axis] = 0.01
	high[axis] = low[axis]
	for x := low[0]; x <= high[0]; x += step {
		for y := low[1]; y <= high[1]; y += step {
			for z := low[2]; z <= high[2]; z += step {
				s.add([3]float64{x, y, z}, size, nil, 0.95)
			}
		}
	}
}

// garden returns a lawn of 10 x 8 m at y 0 with a wall of 2 m at x 3 and a lamp.
func garden() *scene {
	s := &scene{}
	s.addPlate(1, [3]float64{-5, 0, -4}, [3]float64{5, 0, 4}, 0.1)
	s.addPlate(0, [3]float64{-3, -2, -4}, [3]float64{-3, 0, 4}, 0.1) // x 3 in a viewer
	s.addPlate(2, [3]float64{-1, -2.2, 2}, [3]float64{-0.8, 0, 2}, 0.1)
	return s
}

// addSky adds n Gaussians on a sphere around the origin, evenly, from a height in radii upwards.
// Each is flat and faces the middle.
func (s *scene) addSky(n int, radius, lowest float64) {
	for i := range n {
		up := lowest + (1-lowest)*(float64(i)+0.5)/float64(n)
		around := float64(i) * math.Pi * (3 - math.Sqrt(5)) // the golden angle
		out := [3]float64{math.Sqrt(1-up*up) * math.Cos(around), -up, math.Sqrt(1-up*up) * math.Sin(around)}
		// The shortest turn from z to the direction.
		q := [4]float64{-out[1], out[0], 0, 1 + out[2]}
		length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[3]*q[3])
		for k := range q {
			q[k] /= length
		}
		s.add([3]float64{radius * out[0], radius * out[1], radius * out[2]}, [3]float64{0.8, 0.8, 0.01}, &q, 0.9)
	}
}

// house returns a closed room of 6 x 6 m that is 2.6 m high, and a table in it.
func house() *scene {
	s := &scene{}
	for _, y := range []float64{0, -2.6} {
		s.addPlate(1, [3]float64{-3, y, -3}, [3]float64{3, y, 3}, 0.1)
	}
	for _, v := range []float64{-3, 3} {
		s.addPlate(0, [3]float64{v, -2.6, -3}, [3]float64{v, 0, 3}, 0.1)
		s.addPlate(2, [3]float64{-3, -2.6, v}, [3]float64{3, 0, v}, 0.1)
	}
	s.addPlate(1, [3]float64{-2, -0.8, -2}, [3]float64{-1, -0.8, -1}, 0.1)
	return s
}

// build makes the collision of a scene at 10 cm, which is quick.
func build(t testing.TB, s *scene, o voxel.Options) *voxel.Collision {
	t.Helper()
	if o.Resolution == 0 {
		o.Resolution = 0.1
	}
	c, err := voxel.Build(context.Background(), s.source(), o, voxel.Work{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
