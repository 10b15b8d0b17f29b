package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"portico/splat/gaussian"
	"portico/splat/splattest"
)

// splatsOf returns the finest level of a capture, the source for the other formats.
func splatsOf(c splattest.LCCCapture) []splattest.LCCSplat {
	all := make([]splattest.LCCSplat, c.Splats)
	for i := range all {
		all[i] = c.Splat(0, i)
	}
	return all
}

// plyCaptures returns PLY files of trainers, of SuperSplat and of meshes.
func plyCaptures(cloud []splattest.LCCSplat) []capture {
	return []capture{
		singleFile("trained.ply", true, trainedPLY(cloud)),
		singleFile("compressed.ply", true, compressedPLY(cloud)),
		singleFile("trained-text.ply", true, trainedTextPLY(cloud[:len(cloud)/4])),
		singleFile("points.ply", true, pointsPLY(cloud, false)),
		singleFile("points-with-lists.ply", true, pointsPLY(cloud, true)),
		singleFile("mesh.ply", false, meshPLY(cloud)),
		singleFile("text.ply", false, textPLY(cloud)),
	}
}

// trainedPLY returns a PLY file like the reference implementation's: harmonics of all
// bands, logits of opacities, logarithms of scales, rotations with w first.
func trainedPLY(cloud []splattest.LCCSplat) []byte {
	out := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(cloud))
	names := []string{"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2"}
	for i := range len(cloud[0].Harmonics) {
		names = append(names, fmt.Sprintf("f_rest_%d", i))
	}
	names = append(names, "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")
	for _, name := range names {
		out = fmt.Appendf(out, "property float %s\n", name)
	}
	out = append(out, "end_header\n"...)
	for _, s := range cloud {
		var row []float64
		for k := range 3 {
			row = append(row, float64(s.Position[k]))
		}
		for k := range 3 {
			row = append(row, (float64(s.Colour[k])/255-0.5)/gaussian.C0)
		}
		row = append(row, s.Harmonics[:]...)
		// Avoid 0 and 1, which have no logit.
		opacity := (float64(s.Opacity) + 0.5) / 256
		row = append(row, math.Log(opacity/(1-opacity)))
		for k := range 3 {
			row = append(row, math.Log(s.Scale[k]))
		}
		row = append(row, s.Rotation[3], s.Rotation[0], s.Rotation[1], s.Rotation[2])
		out = appendFloats(out, row...)
	}
	return out
}

// trainedTextPLY returns the Gaussians of trainedPLY in text form.
func trainedTextPLY(cloud []splattest.LCCSplat) []byte {
	binaryForm := trainedPLY(cloud)
	end := bytes.Index(binaryForm, []byte("end_header\n")) + len("end_header\n")
	out := bytes.Replace(binaryForm[:end], []byte("binary_little_endian"), []byte("ascii"), 1)
	values := binaryForm[end:]
	row := len(values) / len(cloud) / 4
	for i := range len(values) / 4 {
		value := math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
		out = fmt.Appendf(out, "%g", value)
		out = append(out, " \n"[min((i+1)%row, 1)^1])
	}
	return out
}

// appendFloats appends float32 values in little endian.
func appendFloats(out []byte, values ...float64) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return out
}

// compressedPLY returns a PLY file like SuperSplat's: chunks of 256 Gaussians share ranges,
// which are the same for all chunks here; positions and scales have 11, 10 and 11 bits. The
// harmonics have degree 1.
func compressedPLY(cloud []splattest.LCCSplat) []byte {
	const perChunk, harmonics = 256, 9
	chunks := (len(cloud) + perChunk - 1) / perChunk
	out := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement chunk %d\n", chunks)
	for _, name := range []string{"x", "y", "z", "scale_x", "scale_y", "scale_z", "r", "g", "b"} {
		out = fmt.Appendf(out, "property float min_%s\nproperty float max_%s\n", name, name)
	}
	out = fmt.Appendf(out, "element vertex %d\n", len(cloud))
	for _, name := range []string{"position", "rotation", "scale", "color"} {
		out = fmt.Appendf(out, "property uint packed_%s\n", name)
	}
	out = fmt.Appendf(out, "element sh %d\n", len(cloud))
	for i := range harmonics {
		out = fmt.Appendf(out, "property uchar f_rest_%d\n", i)
	}
	out = append(out, "end_header\n"...)
	for range chunks {
		out = appendFloats(out, -100, 100, -100, 100, -100, 100, -10, 2, -10, 2, -10, 2, 0, 1, 0, 1, 0, 1)
	}
	// share quantises a value within a range, which holds all values of the captures.
	share := func(v, low, high float64, bits int) uint32 {
		return uint32(math.Round((v - low) / (high - low) * float64(int(1)<<bits-1)))
	}
	for _, s := range cloud {
		var position, scale uint32
		for k, bits := range []int{11, 10, 11} {
			position = position<<bits | share(float64(s.Position[k]), -100, 100, bits)
			scale = scale<<bits | share(math.Log(s.Scale[k]), -10, 2, bits)
		}
		for _, packed := range []uint32{position, packRotation(s.Rotation, 511.5), scale, binary.BigEndian.Uint32(append(s.Colour[:], s.Opacity))} {
			out = binary.LittleEndian.AppendUint32(out, packed)
		}
	}
	for _, s := range cloud {
		for k := range harmonics {
			out = append(out, byte(max(0, min(128+32*s.Harmonics[k], 255))))
		}
	}
	return out
}

// packRotation packs the index of the largest component and the other components in ten
// bits each, like SuperSplat and SPZ, which scale the components differently.
//
//	bits 30 and 31    the index of the largest component
//	bits 20 to 29     the first of the others
//	bits 10 to 19     the second
//	bits 0 to 9       the third
func packRotation(q [4]float64, unit float64) uint32 {
	largest := 0
	for k := range q {
		if math.Abs(q[k]) > math.Abs(q[largest]) {
			largest = k
		}
	}
	packed := uint32(largest)
	for k := range q {
		if k != largest {
			packed = packed<<10 | uint32(unit+unit*q[k])&1023
		}
	}
	return packed
}

// pointsPLY returns points with colours as doubles on a map, and with a list for each point if lists
// is set.
func pointsPLY(cloud []splattest.LCCSplat, lists bool) []byte {
	out := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", len(cloud))
	for _, name := range []string{"double x", "double y", "double z", "uchar red", "uchar green", "uchar blue"} {
		out = fmt.Appendf(out, "property %s\n", name)
	}
	if lists {
		out = append(out, "property list uchar ushort seen_by\n"...)
	}
	out = append(out, "end_header\n"...)
	for i, s := range cloud {
		for axis, offset := range [3]float64{691_000, 5_336_000, 0} {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(s.Position[axis])+offset))
		}
		out = append(out, s.Colour[0], s.Colour[1], s.Colour[2])
		if lists {
			out = append(append(out, byte(i%3)), make([]byte, 2*(i%3))...)
		}
	}
	return out
}

// meshPLY returns a mesh with a triangle for every three vertices.
func meshPLY(cloud []splattest.LCCSplat) []byte {
	n := len(cloud) / 3
	out := fmt.Appendf(nil, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n%selement face %d\n", 3*n, xyz, n)
	out = append(out, "property list uchar int vertex_indices\nend_header\n"...)
	for _, s := range cloud[:3*n] {
		out = appendFloats(out, float64(s.Position[0]), float64(s.Position[1]), float64(s.Position[2]))
	}
	for i := range n {
		out = append(out, 3)
		for k := range 3 {
			out = binary.LittleEndian.AppendUint32(out, uint32(3*i+k))
		}
	}
	return out
}

// textPLY returns a PLY file of vertices in text form.
func textPLY(cloud []splattest.LCCSplat) []byte {
	out := fmt.Appendf(nil, "ply\nformat ascii 1.0\nelement vertex %d\n%send_header\n", len(cloud), xyz)
	for _, s := range cloud {
		out = fmt.Appendf(out, "%v %v %v\n", s.Position[0], s.Position[1], s.Position[2])
	}
	return out
}

// xyz holds the properties of a vertex that is only a position.
const xyz = "property float x\nproperty float y\nproperty float z\n"
