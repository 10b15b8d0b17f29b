// Package splatfile reads .splat files: records of 32 bytes without a header. Package splat
// uses it.
//
// The format is documented by its code: antimatter15/splat, convert.py. A record is, in little
// endian:
//
//	 0  f32 x3  position
//	12  f32 x3  standard deviations, linear
//	24  u8 x4   red, green, blue, opacity: 0 to 255 is 0 to 1
//	28  u8 x4   w, x, y, z of the rotation; 128 is zero
//
// Axes and units are as in PLY: y points down, and lengths are in metres. The only harmonic is the
// zeroth. A file has at most 2^32-1 Gaussians.
package splatfile

import (
	"encoding/binary"
	"math"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/records"
)

// stride is the size of a record in bytes.
const stride = 32

// Open checks the size of a file and returns its Gaussians. The format has no signature, so a
// file of another format is refused only when it is read, because most of its numbers are
// invalid. A fault in the file is an *input.Error about name. The source closes the file; after
// an error the caller must close it.
func Open(file folder.File, name string) (*records.Source, error) {
	size := file.Size()
	switch {
	case size == 0:
		return nil, input.Errorf(name, "contains no Gaussians").Advise("Export the capture again")
	case size%stride != 0:
		return nil, input.CutOff(name, "it has %d bytes, which is not a multiple of the %d of a Gaussian", size, stride)
	case size/stride > math.MaxUint32:
		return nil, input.Errorf(name, "is too large: it has %d Gaussians, at most %d can be read", size/stride, uint32(math.MaxUint32))
	}
	table := records.Table{File: file, Stride: stride, Count: int(size / stride)}
	return records.NewSource(file, name, 0, []records.Section{{Table: table, Decode: decode}}), nil
}

// decode sets Gaussian i of the cloud to a record.
//
// A byte of the rotation is 128 plus 128 times its component. The quaternion need not be scaled,
// because a cloud is sanitised after decoding.
func decode(record []byte, _ int, c *gaussian.Cloud, i int) {
	b := (*[stride]byte)(record)
	for k := range 3 {
		c.Positions[3*i+k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		c.Scales[3*i+k] = gaussian.LogScale(math.Float32frombits(binary.LittleEndian.Uint32(b[12+4*k:])))
		c.Colours[3*i+k] = gaussian.ColourOfByte(b[24+k])
		c.Rotations[4*i+k] = float32(b[29+k]) - 128
	}
	c.Opacities[i] = float32(b[27]) / 255
	c.Rotations[4*i+3] = float32(b[28]) - 128
	// Viewers show a sphere without a direction, which some tools write, as it is.
	if b[28] == 128 && b[29] == 128 && b[30] == 128 && b[31] == 128 {
		c.Rotations[4*i+3] = 1
	}
}
