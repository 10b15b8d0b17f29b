package ksplat

import (
	"encoding/binary"
	"math"
	"sort"

	"portico/splat/gaussian"
)

// layout is the layout of a record at a compression level. The colour is four bytes, red,
// green, blue and opacity, at every level; the harmonics follow it.
type layout struct {
	scale, rotation, colour int // offsets; the position is at 0
	harmonic                int // bytes of each
	// number decodes a component of a scale or a rotation, and bytes is the size of a component.
	number func(b []byte) float32
	bytes  int
}

// layouts are the layouts of the levels 0 to 2 (SplatBuffer.js, CompressionLevels). Level 2
// differs from level 1 only in the harmonics.
var layouts = [3]layout{
	{scale: 12, rotation: 24, colour: 40, harmonic: 4, number: float32At, bytes: 4},
	{scale: 6, rotation: 12, colour: 20, harmonic: 2, number: float16At, bytes: 2},
	{scale: 6, rotation: 12, colour: 20, harmonic: 1, number: float16At, bytes: 2},
}

func (l *layout) stride(degree int) int { return l.colour + 4 + l.harmonic*coefficients(degree) }

// decoder decodes the records of one section.
type decoder struct {
	*layout
	header  *header
	section section
	// centres contains the centres of all buckets, and ends the number of the first Gaussian after
	// each partial bucket.
	centres []float32
	ends    []int64
}

// decode sets Gaussian i of the cloud, whose degree is at least the section's.
func (d *decoder) decode(record []byte, number int, c *gaussian.Cloud, i int) {
	d.decodePosition(record, number, c.Positions[3*i:3*i+3])
	for k := range 3 {
		c.Scales[3*i+k] = gaussian.LogScale(d.number(record[d.scale+k*d.bytes:]))
		c.Colours[3*i+k] = gaussian.ColourOfByte(record[d.colour+k])
	}
	// w is first in the file and last in a cloud.
	for k, to := range [4]int{3, 0, 1, 2} {
		c.Rotations[4*i+to] = d.number(record[d.rotation+k*d.bytes:])
	}
	c.Opacities[i] = float32(record[d.colour+3]) / 255
	d.decodeHarmonics(record[d.colour+4:], c, i)
}

// decodePosition decodes a position. Above level 0 it is relative to the centre of a bucket.
//
// Above level 0 a code counts steps in a bucket, whose side is 2 half:
//
//	code      offset from the centre
//	0         -half
//	zero      0
//	2 zero    half
func (d *decoder) decodePosition(record []byte, number int, p []float32) {
	if d.header.level == 0 {
		for k := range p {
			p[k] = float32At(record[4*k:])
		}
		return
	}
	bucket := d.bucket(int64(number))
	if bucket < 0 {
		p[0] = float32(math.NaN()) // broken, because it belongs to no bucket
		return
	}
	for k := range p {
		code := float32(binary.LittleEndian.Uint16(record[2*k:]))
		p[k] = (code-d.section.zero)*(d.section.half/d.section.zero) + d.centres[3*bucket+k]
	}
}

// bucket returns the number of the bucket that contains a Gaussian, or -1.
func (d *decoder) bucket(number int64) int {
	if number < d.section.full*d.section.bucketSize {
		return int(number / d.section.bucketSize)
	}
	i := sort.Search(len(d.ends), func(i int) bool { return d.ends[i] > number })
	if i == len(d.ends) {
		return -1
	}
	return int(d.section.full) + i
}

// decodeHarmonics decodes the harmonics, which are ordered by degree, and within a degree by
// channel. Sections of a file may have different degrees; coefficients above the degree of this
// section are zero.
//
// The order for degree 2, where 1-3 and 4-8 are the numbers of coefficients:
//
//	red 1-3, green 1-3, blue 1-3, red 4-8, green 4-8, blue 4-8
func (d *decoder) decodeHarmonics(b []byte, c *gaussian.Cloud, i int) {
	n := gaussian.Coefficients(c.Degree)
	to := c.Harmonics[3*n*i:][:3*n]
	clear(to)
	at := 0
	for degree := 1; degree <= d.section.degree; degree++ {
		first := gaussian.Coefficients(degree - 1)
		for channel := range 3 {
			for k := range 2*degree + 1 {
				to[channel*n+first+k] = d.coefficient(b[at:])
				at += d.harmonic
			}
		}
	}
}

func (d *decoder) coefficient(b []byte) float32 {
	if d.harmonic > 1 {
		return d.number(b)
	}
	return d.header.low + float32(b[0])/255*(d.header.high-d.header.low)
}

// float16At decodes an IEEE 754 binary16 number.
func float16At(b []byte) float32 { return gaussian.Float16(binary.LittleEndian.Uint16(b)) }
