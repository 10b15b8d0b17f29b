package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// triangle is a glTF document of one triangle: three positions followed by three indices.
const triangle = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"mesh":0,"children":[1],"scale":[2,2,2]},{"mesh":0,"translation":[1,0,0]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],
"materials":[{"name":"red"}],"animations":[],"extensionsUsed":["KHR_materials_unlit"],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],
"buffers":[{"byteLength":44}]}`

// gltfCaptures returns the triangle in two files, in a zip, and in one file.
func gltfCaptures() []capture {
	data := appendFloats(nil, 0, 0, 0, 1, 0, 0, 0, 1, 0)
	data = append(data, 0, 0, 1, 0, 2, 0, 0, 0)
	document := strings.Replace(triangle, `{"byteLength":44}`, `{"byteLength":44,"uri":"data/a.bin"}`, 1)
	inTwoFiles := capture{"gltf", folder.Memory{"a.gltf": []byte(document), "data/a.bin": data}, "a.gltf", false}
	// The corners of the triangle are the places of three instances too.
	instances := strings.Replace(document, `"nodes":[{"mesh":0`, `"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}},"mesh":0`, 1)
	instanced := capture{"gltf-instances", folder.Memory{"a.gltf": []byte(instances), "data/a.bin": data}, "a.gltf", false}
	return []capture{inTwoFiles, inTwoFiles.zip(), instanced, singleFile("a.glb", false, glb(data))}
}

// memoryFile is a file in memory that is written in any order.
type memoryFile struct{ content []byte }

// Write implements io.Writer.
func (m *memoryFile) Write(b []byte) (int, error) { return m.WriteAt(b, int64(len(m.content))) }

// WriteAt implements io.WriterAt.
func (m *memoryFile) WriteAt(b []byte, at int64) (int, error) {
	if missing := int(at) + len(b) - len(m.content); missing > 0 {
		m.content = append(m.content, make([]byte, missing)...)
	}
	return copy(m.content[at:], b), nil
}

// gaussianGLTF returns the finest level of a capture as glTF: with an accessor for each
// attribute, and with an SPZ file in a buffer view.
func gaussianGLTF(ctx context.Context, c capture) ([]capture, error) {
	opened, err := splat.Open(ctx, c.files, c.primary)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.name, err)
	}
	var attributes, compressed memoryFile
	_, _, err = opened.WriteFile(ctx, splat.FormatGLB, &attributes, splat.ConvertOptions{})
	if err == nil {
		_, _, err = opened.WriteFile(ctx, splat.FormatSPZ, &compressed, splat.ConvertOptions{SPZVersion: 3})
	}
	document := fmt.Appendf(nil, `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0},"extensions":{"KHR_gaussian_splatting":{"kernel":"ellipse",
"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":0}}}}}]}],
"accessors":[{"componentType":5126,"count":%d,"type":"VEC3","min":[-9,-9,-9],"max":[9,9,9]}],
"bufferViews":[{"buffer":0,"byteLength":%d}],"buffers":[{"byteLength":%[2]d,"uri":"a.spz"}]}`,
		opened.Facts.Splats, len(compressed.content))
	packed, packErr := splattest.MeshoptGLB(attributes.content)
	return []capture{
		singleFile("gaussians.glb", true, attributes.content), singleFile("gaussians-meshopt.glb", true, packed),
		{"gaussians-spz.gltf", folder.Memory{"a.gltf": document, "a.spz": compressed.content}, "a.gltf", true},
	}, errors.Join(err, packErr, opened.Close())
}

// glb returns the triangle as binary glTF: a header and two chunks, each aligned to four
// bytes (glTF 2.0 specification, section 4.4).
//
//	0     "glTF"
//	4     the version, 2
//	8     the length of the file
//	12    the length of the document, and "JSON"
//	20    the document, with blanks up to four bytes
//	…     the length of the data, and "BIN" with a zero
//	…     the data
func glb(data []byte) []byte {
	document := triangle + strings.Repeat(" ", (4-len(triangle)%4)%4)
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("glTF"), 2)
	out = le.AppendUint32(out, uint32(12+8+len(document)+8+len(data)))
	out = le.AppendUint32(out, uint32(len(document)))
	out = append(append(out, "JSON"...), document...)
	out = le.AppendUint32(out, uint32(len(data)))
	return append(append(out, "BIN\x00"...), data...)
}
