package gltf

import (
	"encoding/binary"
	"io"
	"math"
	"slices"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// Triangles is a mesh without materials, in the axes of glTF.
type Triangles struct {
	// Positions are x, y, z of each vertex.
	Positions []float32
	// Indices are three for each triangle.
	Indices []uint32
	// Colours are red, green and blue of each vertex, 0 to 1, as on a display; nil means none.
	Colours []float32
}

// writeBlock is the number of values that are written at a time.
const writeBlock = 1 << 14

// WriteTriangles writes a mesh as a GLB with only positions and indices, which is what physics
// engines read, and colours if there are any. It returns the box around the mesh. A mesh without triangles is an
// *input.Error.
func WriteTriangles(to io.Writer, m Triangles) (gaussian.Bounds, error) {
	if len(m.Indices) == 0 {
		return gaussian.Bounds{}, input.Errorf("", "The collision has no triangles")
	}
	box := m.bounds()
	positions, indices, colours := int64(4*len(m.Positions)), int64(4*len(m.Indices)), int64(8*(len(m.Colours)/3))
	document := object{
		"asset": object{"version": "2.0", "generator": "Portico"},
		"scene": 0, "scenes": []object{{"nodes": []int{0}}}, "nodes": []object{{"mesh": 0}},
		"meshes": []object{{"primitives": []object{{"attributes": object{"POSITION": 0}, "indices": 1}}}},
		// An accessor of positions must have a range (section 3.6.2.5). Indices have 32 bits, because a
		// collision may have more than 65,535 vertices.
		"accessors": []object{
			{"bufferView": 0, "componentType": typeFloat, "count": len(m.Positions) / 3, "type": "VEC3", "min": box.Min, "max": box.Max},
			{"bufferView": 1, "componentType": typeUnsignedInt, "count": len(m.Indices), "type": "SCALAR"},
		},
		"bufferViews": []object{ // 34962 is ARRAY_BUFFER, and 34963 ELEMENT_ARRAY_BUFFER (section 5.11.5)
			{"buffer": 0, "byteLength": positions, "target": 34962},
			{"buffer": 0, "byteOffset": positions, "byteLength": indices, "target": 34963},
		},
		"buffers": []object{{"byteLength": positions + indices + colours}},
	}
	if m.Colours != nil {
		document["meshes"] = []object{{"primitives": []object{{"attributes": object{"POSITION": 0, "COLOR_0": 2}, "indices": 1, "material": 0}}}}
		// Scans have faces that are seen from both sides.
		document["materials"] = []object{{"doubleSided": true, "pbrMetallicRoughness": object{"metallicFactor": 0, "roughnessFactor": 1}}}
		document["accessors"] = append(document["accessors"].([]object),
			object{"bufferView": 2, "componentType": typeUnsignedShort, "normalized": true, "count": len(m.Colours) / 3, "type": "VEC4"})
		document["bufferViews"] = append(document["bufferViews"].([]object),
			object{"buffer": 0, "byteOffset": positions + indices, "byteLength": colours, "target": 34962})
	}
	head, err := glbHead(document, positions+indices+colours)
	if err != nil {
		return gaussian.Bounds{}, err
	}
	if _, err := to.Write(head); err != nil {
		return gaussian.Bounds{}, err
	}
	for block := range slices.Chunk(m.Positions, writeBlock) {
		if _, err := to.Write(appendFloats(nil, block...)); err != nil {
			return gaussian.Bounds{}, err
		}
	}
	for block := range slices.Chunk(m.Indices, writeBlock) {
		b := make([]byte, 0, 4*len(block))
		for _, i := range block {
			b = binary.LittleEndian.AppendUint32(b, i)
		}
		if _, err := to.Write(b); err != nil {
			return gaussian.Bounds{}, err
		}
	}
	for block := range slices.Chunk(m.Colours, 3*(writeBlock/4)) {
		b := make([]byte, 0, 8*(len(block)/3))
		for i, v := range block {
			// Colours of vertices are linear (section 3.9.2), with an alpha, so that the size of
			// an attribute is a multiple of four bytes.
			b = binary.LittleEndian.AppendUint16(b, uint16(linear(float64(v))*math.MaxUint16+0.5))
			if i%3 == 2 {
				b = binary.LittleEndian.AppendUint16(b, math.MaxUint16)
			}
		}
		if _, err := to.Write(b); err != nil {
			return gaussian.Bounds{}, err
		}
	}
	return box, nil
}

// linear is the inverse of the conversion in toDisplay.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// bounds returns the box around the vertices.
func (m Triangles) bounds() (box gaussian.Bounds) {
	for k := range 3 {
		box.Min[k], box.Max[k] = float64(m.Positions[k]), float64(m.Positions[k])
		for i := k; i < len(m.Positions); i += 3 {
			box.Min[k], box.Max[k] = min(box.Min[k], float64(m.Positions[i])), max(box.Max[k], float64(m.Positions[i]))
		}
	}
	return box
}
