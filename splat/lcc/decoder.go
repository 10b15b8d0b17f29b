package lcc

import (
	"encoding/binary"
	"math"

	"portico/splat/gaussian"
)

// minScale is the minimum scale in metres. Captures contain splats of zero thickness, and the
// logarithm of 0 is not finite.
const minScale = 1e-12

// coefficients is the number of harmonics per channel.
const coefficients = (degree+1)*(degree+1) - 1

// A packed coefficient has 11 bits of red, 10 of green and 11 of blue (white paper,
// section "shcoef.bin").
const (
	redLevels   = 1 << 11
	greenLevels = 1 << 10
	greenShift  = 11
	blueShift   = 21
)

// decoder unpacks records. It is immutable.
type decoder struct {
	scales  interval
	colours [256]float32 // f_dc of each byte
	// red, green and blue are the coefficients of all codes.
	red   [redLevels]float32
	green [greenLevels]float32
	blue  [redLevels]float32
}

// newDecoder returns a decoder of records with the range of scales.
func newDecoder(scales interval) *decoder {
	d := &decoder{scales: scales}
	for i := range d.colours {
		d.colours[i] = float32((float64(i)/255 - 0.5) / gaussian.C0)
	}
	return d
}

// setHarmonics sets the range of the harmonics of each channel. It decodes all codes into
// tables, which is faster: a channel has at most 2,048 codes, and every splat has 45 codes.
func (d *decoder) setHarmonics(r interval) {
	for channel, table := range [][]float32{d.red[:], d.green[:], d.blue[:]} {
		low, high := r.min[channel], r.max[channel]
		for code := range table {
			table[code] = float32(low + (high-low)*float64(code)/float64(len(table)-1))
		}
	}
}

// splat decodes a record of data.bin into the i-th Gaussian of the cloud, without its
// harmonics and in the coordinates of the file. It reports whether the position is
// finite. The offsets are from the white paper, section "data.bin": the rotation is not aligned,
// and the normal after it is not used.
func (d *decoder) splat(record []byte, c *gaussian.Cloud, i int) bool {
	b := (*[recordSize]byte)(record)
	finite := position(b, c.Positions[3*i:])
	for k := range 3 {
		c.Colours[3*i+k] = d.colours[b[12+k]]
		c.Scales[3*i+k] = d.scale(k, binary.LittleEndian.Uint16(b[16+2*k:]))
	}
	c.Opacities[i] = float32(b[15]) / 255
	decodeRotation(binary.LittleEndian.Uint32(b[22:]), (*[4]float32)(c.Rotations[4*i:]))
	return finite
}

// position sets p to the position of a record and reports whether it is finite.
func position(b *[recordSize]byte, p []float32) bool {
	finite := true
	for k := range 3 {
		bits := binary.LittleEndian.Uint32(b[4*k:])
		p[k] = math.Float32frombits(bits)
		// An exponent of ones is infinity or NaN.
		finite = finite && bits&0x7f800000 != 0x7f800000
	}
	return finite
}

// scale returns the logarithm of a scale. The file quantises the scale and not its logarithm
// (white paper, section "data.bin"), so small scales have few different values.
func (d *decoder) scale(axis int, code uint16) float32 {
	low, high := d.scales.min[axis], d.scales.max[axis]
	return float32(math.Log(max(low+(high-low)*float64(code)/math.MaxUint16, minScale)))
}

// decodeRotation unpacks a unit quaternion x, y, z, w (white paper, section "data.bin"). The upper
// two bits are the index of the largest component. It is positive, and not stored because it
// follows from the length of 1. The other three components have ten bits each, in this order, the
// first in the lowest bits.
//
//	bits 30 and 31    the index of the largest component
//	bits 20 to 29     the third of the others
//	bits 10 to 19     the second
//	bits 0 to 9       the first
func decodeRotation(code uint32, q *[4]float32) {
	a, b, c := componentValues[code%1024], componentValues[code>>10%1024], componentValues[code>>20%1024]
	sum, rest := a*a+b*b+c*c, 0.0
	if sum <= 1 {
		rest = math.Sqrt(1 - sum)
	} else { // not a unit quaternion: no exporter writes such a code
		length := math.Sqrt(sum)
		a, b, c = a/length, b/length, c/length
	}
	largest := code >> 30
	to := &storedComponents[largest]
	q[to[0]], q[to[1]], q[to[2]], q[largest] = float32(a), float32(b), float32(c), float32(rest)
}

// storedComponents are the indices of the three stored components for each index of the largest.
var storedComponents = [4][3]uint8{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}

// componentValues are the values of the ten-bit codes: from -1/sqrt(2) to 1/sqrt(2), which no
// component except the largest exceeds. The table saves three divisions for each splat.
var componentValues = func() (values [1024]float64) {
	for code := range values {
		values[code] = float64(code)/1023*math.Sqrt2 - math.Sqrt2/2
	}
	return values
}()

// decodeHarmonics decodes a record of shcoef.bin into the i-th Gaussian. The conversion to
// arrays removes the bounds checks of all 45 values.
//
// The values of a coefficient are in three places of a cloud, which has all coefficients of red
// before all coefficients of green and blue.
func (d *decoder) decodeHarmonics(record []byte, c *gaussian.Cloud, i int) {
	b := (*[harmonicsSize]byte)(record)
	h := (*[3 * coefficients]float32)(c.Harmonics[3*coefficients*i:])
	for k := range coefficients {
		code := binary.LittleEndian.Uint32(b[4*k:])
		h[k] = d.red[code%redLevels]
		h[coefficients+k] = d.green[code>>greenShift%greenLevels]
		h[2*coefficients+k] = d.blue[code>>blueShift]
	}
}
