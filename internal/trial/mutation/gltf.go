package main

import (
	"encoding/binary"
	"strings"

	"portico/splat/folder"
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
	two := capture{"gltf", folder.Memory{"a.gltf": []byte(document), "data/a.bin": data}, "a.gltf", false}
	return []capture{two, two.zip(), singleFile("a.glb", false, glb(data))}
}

// glb returns the triangle as binary glTF: a header and two chunks, each aligned to four
// bytes (glTF 2.0 specification, section 4.4).
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
