package splattest

import (
	"encoding/binary"
	"math"
)

// The buckets of KSplat: the number of splats in full buckets, and their side in metres, which is
// larger than the captures of this package.
const (
	ksplatBucket = 16
	ksplatBlock  = 128
)

// KSplat returns a .ksplat file of these splats at a compression level, 0 to 2
// (mkkellogg/GaussianSplats3D, src/loaders/SplatBuffer.js). It has a section of degree 2
// and a section without harmonics, with half of the splats each, so that tests notice a reader that
// uses the layout of the first section for all sections.
func KSplat(cloud []LCCSplat, level int) []byte {
	le := binary.LittleEndian
	b := make([]byte, 4096+2*1024)
	b[1] = 1
	le.PutUint32(b[4:], 2)
	le.PutUint32(b[8:], 2)
	le.PutUint32(b[12:], uint32(len(cloud)))
	le.PutUint32(b[16:], uint32(len(cloud)))
	le.PutUint16(b[20:], uint16(level))
	half := len(cloud) / 2
	for i, part := range [][]LCCSplat{cloud[:half], cloud[half:]} {
		b = appendKSplatSection(b, 4096+1024*i, part, level, 2-2*i)
	}
	return b
}

// appendKSplatSection appends a section and fills its header at the offset.
func appendKSplatSection(b []byte, header int, cloud []LCCSplat, level, degree int) []byte {
	le := binary.LittleEndian
	le.PutUint32(b[header:], uint32(len(cloud)))
	le.PutUint32(b[header+4:], uint32(len(cloud)))
	le.PutUint16(b[header+40:], uint16(degree))
	// The splats after the full buckets are in two partial ones, whose sizes differ.
	full := len(cloud) / ksplatBucket
	var centres [][3]float32
	if level > 0 {
		rest := len(cloud) % ksplatBucket
		for i := range full + 2 {
			centre := [3]float32{}
			if at := min(i*ksplatBucket, len(cloud)-1); at >= 0 {
				centre = cloud[at].Position
			}
			centres = append(centres, centre)
		}
		le.PutUint32(b[header+8:], ksplatBucket)
		le.PutUint32(b[header+12:], uint32(len(centres)))
		le.PutUint32(b[header+16:], math.Float32bits(ksplatBlock))
		le.PutUint16(b[header+20:], 12)
		le.PutUint32(b[header+24:], 32767)
		le.PutUint32(b[header+32:], uint32(full))
		le.PutUint32(b[header+36:], 2)
		b = le.AppendUint32(b, uint32(rest/2))
		b = le.AppendUint32(b, uint32(rest-rest/2))
		for _, centre := range centres {
			for _, v := range centre {
				b = le.AppendUint32(b, math.Float32bits(v))
			}
		}
	}
	rest := len(cloud) % ksplatBucket
	for i, s := range cloud {
		bucket := i / ksplatBucket
		if bucket == full && i%ksplatBucket >= rest/2 {
			bucket++
		}
		if level == 0 {
			b = appendKSplat(b, s, nil, 0, degree)
		} else {
			b = appendKSplat(b, s, &centres[bucket], level, degree)
		}
	}
	return b
}

// appendKSplat appends a record. Its position is relative to the centre, if there is one.
func appendKSplat(b []byte, s LCCSplat, centre *[3]float32, level, degree int) []byte {
	le := binary.LittleEndian
	number := func(v float64) {
		if level == 0 {
			b = le.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = le.AppendUint16(b, toHalf(float32(v)))
		}
	}
	for k, v := range s.Position {
		if centre == nil {
			b = le.AppendUint32(b, math.Float32bits(v))
			continue
		}
		// 32767 is the centre: the codes of both halves of a bucket are not negative.
		code := math.Round(float64(v-centre[k])/(ksplatBlock/2)*32767) + 32767
		b = le.AppendUint16(b, uint16(code))
	}
	for _, v := range s.Scale {
		number(v)
	}
	for _, k := range []int{3, 0, 1, 2} {
		number(s.Rotation[k])
	}
	b = append(b, s.Colour[0], s.Colour[1], s.Colour[2], s.Opacity)
	// By degree, then by channel: PLY has all degrees of a channel together.
	for d := 1; d <= degree; d++ {
		for channel := range 3 {
			for k := range 2*d + 1 {
				v := s.Harmonics[15*channel+d*d-1+k]
				if level < 2 {
					number(v)
				} else {
					b = append(b, byte(math.Round((v+1.5)/3*255)))
				}
			}
		}
	}
	return b
}

// toHalf encodes a number as IEEE 754 binary16, with zero for what is too small for a
// normal number.
func toHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	exponent := int(bits>>23&0xff) - 127 + 15
	if exponent <= 0 {
		return sign
	}
	return sign | uint16(exponent<<10) | uint16(bits>>13&0x3ff)
}
