package gltf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// maxDegree is the highest degree of harmonics of KHR_gaussian_splatting.
const maxDegree = 3

// maxGLB is the maximum size of a GLB, whose length has 32 bits (section 4.4.2).
const maxGLB = math.MaxUint32

// Written describes a written file.
type Written struct {
	// Splats is the number of written Gaussians, and Dropped the number of broken Gaussians that
	// were left out.
	Splats, Dropped int64
	Degree          int
	// Bounds is the box around the centres in the axes of glTF, y up.
	Bounds gaussian.Bounds
}

// column is an attribute of the written primitive.
type column struct {
	name         string
	accessorType string // such as "VEC3" (section 3.6.2.2)
	component    integer
	normalized   bool
	size         int // bytes of a value
	value        func(b []byte, c *gaussian.Cloud, i int) []byte
}

// columns returns the attributes of Gaussians with harmonics up to a degree, with the names of the
// ratified extension. Viewers without the extension show points with the colour COLOR_0.
//
// The bytes of a Gaussian with degree 3, 240 in total, are in these attributes, all little-endian:
//
//	POSITION            f32 x3  metres
//	COLOR_0             u8 x4   red, green, blue, opacity: 0 to 255 is 0 to 1
//	...:ROTATION        f32 x4  x, y, z, w of a unit quaternion
//	...:SCALE           f32 x3  standard deviations in metres
//	...:OPACITY         f32     0 to 1
//	...:SH_DEGREE_l_COEF_m  f32 x3  red, green, blue of a harmonic, for l from 0 and m from 0 to 2l
func columns(degree int) []column {
	const prefix = extensionGaussians + ":"
	all := []column{
		{"POSITION", "VEC3", typeFloat, false, 12, func(b []byte, c *gaussian.Cloud, i int) []byte {
			p := c.Positions[3*i : 3*i+3]
			return appendFloats(b, p[0], p[1], p[2])
		}},
		{"COLOR_0", "VEC4", typeUnsignedByte, true, 4, func(b []byte, c *gaussian.Cloud, i int) []byte {
			// Bytes are enough for a fallback: viewers of Gaussians read SH_DEGREE_0_COEF_0.
			for _, v := range c.Colours[3*i : 3*i+3] {
				b = append(b, gaussian.ByteOfColour(v))
			}
			return append(b, byte(math.Round(255*float64(c.Opacities[i]))))
		}},
		{prefix + "ROTATION", "VEC4", typeFloat, false, 16, func(b []byte, c *gaussian.Cloud, i int) []byte {
			return appendFloats(b, c.Rotations[4*i:4*i+4]...)
		}},
		{prefix + "SCALE", "VEC3", typeFloat, false, 12, func(b []byte, c *gaussian.Cloud, i int) []byte {
			// The extension stores scales and not their logarithms ("Ellipse Kernel").
			for _, v := range c.Scales[3*i : 3*i+3] {
				b = appendFloats(b, float32(math.Exp(float64(v))))
			}
			return b
		}},
		{prefix + "OPACITY", "SCALAR", typeFloat, false, 4, func(b []byte, c *gaussian.Cloud, i int) []byte {
			return appendFloats(b, c.Opacities[i])
		}},
		{prefix + "SH_DEGREE_0_COEF_0", "VEC3", typeFloat, false, 12, func(b []byte, c *gaussian.Cloud, i int) []byte {
			return appendFloats(b, c.Colours[3*i:3*i+3]...)
		}},
	}
	n := gaussian.Coefficients(degree)
	for l := 1; l <= degree; l++ {
		for m := range 2*l + 1 {
			k := gaussian.Coefficients(l-1) + m
			all = append(all, column{fmt.Sprintf("%sSH_DEGREE_%d_COEF_%d", prefix, l, m), "VEC3", typeFloat, false, 12,
				func(b []byte, c *gaussian.Cloud, i int) []byte {
					h := c.Harmonics[3*n*i:]
					return appendFloats(b, h[k], h[n+k], h[2*n+k])
				}})
		}
	}
	return all
}

// appendFloats appends little-endian float32 values.
func appendFloats(b []byte, values ...float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// Write writes the finest level as a GLB with KHR_gaussian_splatting, with y up and harmonics up to
// degree 3. Each attribute is contiguous, as all viewers expect, so Write needs a file that it can
// write to at any offset. Progress may be nil. A source without Gaussians is an *input.Error.
func Write(ctx context.Context, source gaussian.Source, to io.WriterAt, progress func(done, total int64)) (Written, error) {
	source = gaussian.LimitDegree(source, maxDegree)
	all, err := gaussian.Select(ctx, source, 0, gaussian.FileOrder, nil)
	if err != nil {
		return Written{}, err
	}
	if all.Len() == 0 {
		return Written{}, input.Errorf("", "The capture has no Gaussians")
	}
	w := Written{Splats: int64(all.Len()), Dropped: all.Dropped, Degree: source.Degree(), Bounds: boundsInGLTF(all)}
	at, err := writeHead(to, all.Len(), w)
	if err != nil {
		return Written{}, err
	}
	// Each block of Gaussians adds a piece to every attribute, so that one pass over the source is
	// enough and the memory does not grow with the capture.
	upright := gaussian.NewRotation(toGLTF)
	return w, all.Each(ctx, func(first int, c *gaussian.Cloud) error {
		upright.Apply(c)
		offset := at
		for _, column := range columns(w.Degree) {
			b := make([]byte, 0, c.Len()*column.size)
			for i := range c.Len() {
				b = column.value(b, c, i)
			}
			if _, err := to.WriteAt(b, offset+int64(first*column.size)); err != nil {
				return err
			}
			offset += int64(all.Len() * column.size)
		}
		if progress != nil {
			progress(int64(first+c.Len()), int64(all.Len()))
		}
		return nil
	})
}

// boundsInGLTF returns the box in the axes of glTF.
func boundsInGLTF(all *gaussian.Selection) gaussian.Bounds {
	var b gaussian.Bounds
	for k, sign := range [3]float64{-1, -1, 1} { // half a turn about z, as toGLTF
		one, other := sign*float64(all.Low[k]), sign*float64(all.High[k])
		b.Min[k], b.Max[k] = min(one, other), max(one, other)
	}
	return b
}

// object is a JSON object that is written.
type object = map[string]any

// writeHead writes everything before the attributes, and returns the offset of the first. The
// attributes follow each other in the binary chunk in the order of columns, each for all Gaussians.
func writeHead(to io.WriterAt, n int, w Written) (int64, error) {
	attributes, views, accessors, size := object{}, []object{}, []object{}, int64(0)
	for i, c := range columns(w.Degree) {
		const arrayBuffer = 34962 // the target of vertex attributes (section 5.11.5)
		length := int64(n) * int64(c.size)
		attributes[c.name] = i
		views = append(views, object{"buffer": 0, "byteOffset": size, "byteLength": length, "target": arrayBuffer})
		accessor := object{"bufferView": i, "componentType": c.component, "count": n, "type": c.accessorType}
		if c.normalized {
			accessor["normalized"] = true
		}
		if c.name == "POSITION" { // an accessor of positions must have a range (section 3.6.2.5)
			accessor["min"], accessor["max"] = w.Bounds.Min, w.Bounds.Max
		}
		accessors = append(accessors, accessor)
		size += length
	}
	b, err := glbHead(object{
		"asset":          object{"version": "2.0", "generator": "Portico"},
		"extensionsUsed": []string{extensionGaussians},
		"scene":          0, "scenes": []object{{"nodes": []int{0}}}, "nodes": []object{{"mesh": 0}},
		"meshes": []object{{"primitives": []object{{"mode": 0, "attributes": attributes, "extensions": object{
			extensionGaussians: object{"kernel": "ellipse", "colorSpace": "srgb_rec709_display"},
		}}}}},
		"buffers": []object{{"byteLength": size}}, "bufferViews": views, "accessors": accessors,
	}, size)
	if err != nil {
		return 0, err
	}
	_, err = to.WriteAt(b, 0)
	return int64(len(b)), err
}

// glbHead returns a GLB up to its binary chunk of size bytes, a multiple of four.
func glbHead(document object, size int64) ([]byte, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encode glTF: %w", err)
	}
	// Chunks are aligned to four bytes (section 4.4.3). The sizes of all attributes are
	// multiples of four.
	text = append(text, bytes.Repeat([]byte(" "), (4-len(text)%4)%4)...)
	total := glbHeader + chunkSize + int64(len(text)) + chunkSize + size
	if total > maxGLB {
		return nil, input.Errorf("", "The result is too large for glTF: it has %d bytes, at most %d are possible", total, int64(maxGLB)).
			Advise("Convert the capture to streamed SOG, or use larger voxels for a collision")
	}
	le := binary.LittleEndian
	b := le.AppendUint32([]byte(glbMagic), glbVersion)
	b = le.AppendUint32(b, uint32(total))
	b = le.AppendUint32(le.AppendUint32(b, uint32(len(text))), chunkJSON)
	b = append(b, text...)
	return le.AppendUint32(le.AppendUint32(b, uint32(size)), chunkBIN), nil
}
