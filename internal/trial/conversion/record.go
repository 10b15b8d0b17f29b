package main

import (
	"encoding/binary"
	"math"
)

// recordSize is the size of a Gaussian in data.bin in bytes.
const recordSize = 32

// appendRecord appends the 32 bytes of data.bin ("LCC white paper", data.bin).
//
// The layout, little-endian:
//
//	 0  f32 x3  position in metres, z up
//	12  u8 x3   red, green, blue: 0 to 255 is 0 to 1
//	15  u8      opacity: 1 to 255
//	16  u16 x3  standard deviations between lowScale and highScale
//	22  u32     rotation (see packRotation)
//	26  u16 x3  normal, unused
func (g *splat) appendRecord(b []byte, lowScale, highScale [3]float64) []byte {
	le := binary.LittleEndian
	for _, v := range g.position {
		b = le.AppendUint32(b, math.Float32bits(float32(v)))
	}
	for _, v := range g.colour {
		b = append(b, byte(math.Round(255*v)))
	}
	// Exporters leave out invisible Gaussians, and splat-transform refuses them.
	b = append(b, byte(max(math.Round(255*g.opacity), 1)))
	for k, v := range g.scale {
		b = le.AppendUint16(b, uint16(quantise(v, lowScale[k], highScale[k], 16)))
	}
	b = le.AppendUint32(b, packRotation(g.rotation))
	return append(b, make([]byte, 6)...) // the normal, which readers ignore
}

// appendHarmonics appends the 64 bytes of shcoef.bin.
//
// They are 15 words, one for each coefficient, and 4 bytes of padding. A word has, from the lowest
// bit, 11 bits of red, 10 of green and 11 of blue, between the ranges of the channels.
func (g *splat) appendHarmonics(b []byte, r ranges) []byte {
	for k := range 15 {
		word, shift := uint32(0), 0
		for channel, bits := range []int{11, 10, 11} {
			word |= quantise(g.harmonics[15*channel+k], r.lowHarmonic[channel], r.highHarmonic[channel], bits) << shift
			shift += bits
		}
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return append(b, 0, 0, 0, 0)
}

// quantise returns the code of v in a number of bits, with codes spread evenly from low to
// high.
func quantise(v, low, high float64, bits int) uint32 {
	maxCode := float64(uint32(1)<<bits - 1)
	return uint32(math.Round(maxCode * clamp((v-low)/(high-low), 0, 1)))
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
	sign := math.Copysign(1, q[largest])
	word, shift := uint32(largest)<<30, 0
	for i, v := range q {
		if i != largest {
			word |= quantise(sign*v, -math.Sqrt2/2, math.Sqrt2/2, 10) << shift
			shift += 10
		}
	}
	return word
}

func (c *capture) manifest() map[string]any {
	counts, total := []int{}, 0
	for level := range c.scene.levels {
		counts = append(counts, c.scene.splats>>level)
		total += counts[level]
	}
	fileType := "Portable"
	if c.scene.harmonics {
		fileType = "Quality"
	}
	zero, one, low := [3]float64{}, [3]float64{1, 1, 1}, [3]float64{corner, corner, corner}
	attribute := func(name string, low, high [3]float64) map[string]any {
		return map[string]any{"name": name, "min": low, "max": high}
	}
	return map[string]any{
		"version": "5.0", "name": c.scene.name, "source": "lcc", "dataType": "PortalCam",
		"totalSplats": total, "totalLevel": c.scene.levels, "splats": counts,
		"cellLengthX": cell, "cellLengthY": cell, "indexDataSize": 4 + 16*c.scene.levels,
		"boundingBox": map[string]any{"min": low, "max": c.high},
		"encoding":    "COMPRESS", "fileType": fileType,
		"attributes": []any{
			attribute("position", low, c.high),
			attribute("normal", zero, zero),
			attribute("color", zero, one),
			attribute("shcoef", c.lowHarmonic, c.highHarmonic),
			attribute("opacity", zero, one),
			attribute("scale", c.lowScale, c.highScale),
			attribute("envnormal", zero, zero),
			attribute("envshcoef", c.lowHarmonic, c.highHarmonic),
			attribute("envscale", c.lowEnvironmentScale, c.highEnvironmentScale),
		},
	}
}
