package splattest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// LCCSplat contains the true values of a splat of an LCCCapture in the coordinates of the file:
// metres, z up.
type LCCSplat struct {
	Position [3]float32
	// Colour and Opacity are bytes in the file; 255 means 1.
	Colour  [3]byte
	Opacity byte
	// Scale is linear, in metres, as an exact reader decodes it.
	Scale [3]float64
	// Rotation is a unit quaternion x, y, z, w. The file has ten bits for each
	// component, an error of at most 0.2 degrees.
	Rotation [4]float64
	// Harmonics holds 15 values each of red, green and blue in the order of 3DGS
	// f_rest, as an exact reader decodes them.
	Harmonics [45]float64

	scaleCodes    [3]uint16
	harmonicCodes [15]uint32
}

// Splat returns a splat of a level by its number: its position in the level if the units
// are read in the order of the index.
func (c LCCCapture) Splat(level, number int) LCCSplat {
	r := rand.New(rand.NewPCG(c.Seed<<8|uint64(level), uint64(number))) //nolint:gosec // numbers that a seed gives again
	cell := c.cellOf(level, number)
	low, _ := c.Bounds()
	x := low[0] + lccCell*(float64(cell%max(c.Columns, 1))+r.Float64())
	y := low[1] + lccCell*(float64(cell/max(c.Columns, 1))+r.Float64())
	ground := 0.5 * math.Sin(x/2) * math.Cos(y/3)
	s := LCCSplat{Position: [3]float32{float32(x), float32(y), float32(ground + 8*math.Pow(r.Float64(), 8))}}
	for k, phase := range []float64{0, 2, 4} {
		s.Colour[k] = byte(128 + 90*math.Sin(x/3+y/4+phase) + 30*r.Float64())
	}
	s.Opacity = byte(r.IntN(256))
	thickness := 0.01 * math.Exp(r.NormFloat64()) * math.Pow(1.3, float64(level))
	// Sizes are lognormal, as trainers make them, and grow with the level: fewer splats
	// must cover the same surface.
	s.quantise(r, lccAttributeRanges(false), [3]float64{4 * thickness, 3 * thickness, thickness})
	return s
}

// EnvironmentSplat returns a splat of the environment by its number.
func (c LCCCapture) EnvironmentSplat(number int) LCCSplat {
	r := rand.New(rand.NewPCG(^c.Seed, uint64(number))) //nolint:gosec // numbers that a seed gives again
	around, up := 2*math.Pi*r.Float64(), r.Float64()
	flat := 200 * math.Sqrt(1-up*up)
	s := LCCSplat{
		Position: [3]float32{float32(flat * math.Cos(around)), float32(flat * math.Sin(around)), float32(200 * up)},
		Colour:   [3]byte{byte(120 + 20*r.Float64()), 170, byte(220 + 30*r.Float64())}, Opacity: 230,
	}
	s.quantise(r, lccAttributeRanges(true), [3]float64{5, 5 + r.Float64(), 1})
	return s
}

// quantise sets the quantised attributes: scales nearest to the given scale, and random
// rotations and harmonics.
func (s *LCCSplat) quantise(r *rand.Rand, ranges attributeRanges, scale [3]float64) {
	for k, v := range scale {
		low, high := ranges.lowScale[k], ranges.highScale[k]
		s.scaleCodes[k] = uint16(math.Round(65535 * min(max((v-low)/(high-low), 0), 1)))
		s.Scale[k] = low + (high-low)*float64(s.scaleCodes[k])/65535
	}
	// Four normal numbers, scaled to length one, are an even distribution over all
	// rotations.
	length := 0.0
	for k := range s.Rotation {
		s.Rotation[k] = r.NormFloat64()
		length += s.Rotation[k] * s.Rotation[k]
	}
	for k := range s.Rotation {
		s.Rotation[k] /= math.Sqrt(length)
	}
	for k := range s.harmonicCodes {
		for channel, bits := range []uint{11, 10, 11} {
			maxCode := float64(uint(1)<<bits - 1)
			low, high := ranges.lowHarmonic[channel], ranges.highHarmonic[channel]
			code := math.Round(maxCode * min(max((0.1*r.NormFloat64()-low)/(high-low), 0), 1))
			s.Harmonics[15*channel+k] = low + (high-low)*code/maxCode
			s.harmonicCodes[k] |= uint32(code) << []uint{0, 11, 21}[channel]
		}
	}
}

// dataRecord returns the 32 bytes of data.bin.
func (s LCCSplat) dataRecord() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, 32)
	for _, v := range s.Position {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	b = append(b, s.Colour[0], s.Colour[1], s.Colour[2], s.Opacity)
	for _, code := range s.scaleCodes {
		b = le.AppendUint16(b, code)
	}
	b = le.AppendUint32(b, packRotation(s.Rotation))
	return append(b, make([]byte, 6)...) // the normal, which readers ignore
}

// packRotation packs a quaternion into 32 bits: the index of the largest component, which
// is made positive and left out, and the other components in ten bits each.
func packRotation(q [4]float64) uint32 {
	largest := 0
	for i, v := range q {
		if math.Abs(v) > math.Abs(q[largest]) {
			largest = i
		}
	}
	code, shift := uint32(largest)<<30, uint(0)
	for i, v := range q {
		if i == largest {
			continue
		}
		v = math.Copysign(1, q[largest]) * v
		code |= uint32(math.Round(1023*(v/math.Sqrt2+0.5))) << shift
		shift += 10
	}
	return code
}

// harmonicsRecord returns the 64 bytes of shcoef.bin.
func (s LCCSplat) harmonicsRecord() []byte {
	b := make([]byte, 0, 64)
	for _, code := range s.harmonicCodes {
		b = binary.LittleEndian.AppendUint32(b, code)
	}
	return append(b, 0, 0, 0, 0)
}
