package splattest

import (
	"encoding/binary"
	"math"
)

// SplatFile returns a .splat file of these splats (antimatter15/splat, convert.py): 32
// bytes for each, without a header and without harmonics. Rotations have w first.
//
//	 0  f32 x3  position in metres
//	12  f32 x3  scales, linear
//	24  u8 x4   red, green, blue, opacity
//	28  u8 x4   rotation w, x, y, z: 128 is 0, 255 is 1
func SplatFile(cloud []LCCSplat) []byte {
	var b []byte
	for _, s := range cloud {
		for _, v := range s.Position {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		for _, v := range s.Scale {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
		b = append(b, s.Colour[0], s.Colour[1], s.Colour[2], s.Opacity)
		for _, k := range []int{3, 0, 1, 2} {
			b = append(b, byte(math.Round(127*s.Rotation[k]+128)))
		}
	}
	return b
}
