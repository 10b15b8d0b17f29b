package space_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strconv"
	"strings"
)

// newCube returns a .glb of a cube with edges of 1 m in magenta, which light does not change.
func newCube() []byte {
	return newGLB(`"extensionsUsed":["KHR_materials_unlit"],"nodes":[{"mesh":0}],`+
		`"materials":[{"extensions":{"KHR_materials_unlit":{}},"pbrMetallicRoughness":{"baseColorFactor":[1,0,1,1]}}],`, 1)
}

// newModel returns a .glb of three boxes of different sizes and colours, which light shades.
func newModel() []byte {
	return newGLB(`"nodes":[{"mesh":0,"translation":[0,0.2,0]},`+
		`{"mesh":1,"translation":[0.9,0.6,-0.3],"scale":[0.4,1.2,0.4]},`+
		`{"mesh":2,"translation":[-0.6,0.9,0.1],"scale":[0.5,0.3,0.8],"rotation":[0,0,0.3,0.954]}],`+
		`"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[0.8,0.1,0.1,1],"metallicFactor":0}},`+
		`{"pbrMetallicRoughness":{"baseColorFactor":[0.1,0.6,0.2,1],"metallicFactor":0}},`+
		`{"pbrMetallicRoughness":{"baseColorFactor":[0.9,0.8,0.1,1],"metallicFactor":0}}],`, 3)
}

// newGLB returns a .glb with a cube of each material, whose document has these parts.
func newGLB(parts string, materials int) []byte {
	var points, normals, indices bytes.Buffer
	for face := range 6 {
		axis, side := face/2, float32(face%2)-0.5
		normal := [3]float32{}
		normal[axis] = 2 * side
		for corner := range 4 {
			point := [3]float32{}
			point[axis] = side
			point[(axis+1)%3], point[(axis+2)%3] = float32(corner&1)-0.5, float32(corner>>1)-0.5
			_ = binary.Write(&points, binary.LittleEndian, point)
			_ = binary.Write(&normals, binary.LittleEndian, normal)
		}
		order := []uint16{0, 1, 3, 0, 3, 2} // counterclockwise from outside
		if side < 0 {
			order = []uint16{0, 3, 1, 0, 2, 3}
		}
		for _, corner := range order {
			_ = binary.Write(&indices, binary.LittleEndian, uint16(4*face)+corner)
		}
	}
	var meshes, nodes []string
	for i := range materials {
		meshes = append(meshes, fmt.Sprintf(`{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":2,"material":%d}]}`, i))
		nodes = append(nodes, strconv.Itoa(i))
	}
	document := fmt.Sprintf(`{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[%s]}],%s"meshes":[%s],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"count":24,"type":"VEC3","min":[-0.5,-0.5,-0.5],"max":[0.5,0.5,0.5]},`+
		`{"bufferView":1,"componentType":5126,"count":24,"type":"VEC3"},{"bufferView":2,"componentType":5123,"count":36,"type":"SCALAR"}],`+
		`"bufferViews":[{"buffer":0,"byteLength":288},{"buffer":0,"byteOffset":288,"byteLength":288},{"buffer":0,"byteOffset":576,"byteLength":72}],`+
		`"buffers":[{"byteLength":648}]}`, strings.Join(nodes, ","), parts, strings.Join(meshes, ","))
	for len(document)%4 != 0 {
		document += " "
	}
	content := slices.Concat(points.Bytes(), normals.Bytes(), indices.Bytes())
	var file bytes.Buffer
	file.WriteString("glTF")
	_ = binary.Write(&file, binary.LittleEndian, []uint32{2, uint32(12 + 8 + len(document) + 8 + len(content)), uint32(len(document))})
	file.WriteString("JSON" + document)
	_ = binary.Write(&file, binary.LittleEndian, uint32(len(content)))
	file.WriteString("BIN\x00")
	file.Write(content)
	return file.Bytes()
}

// newPicture returns a .png in cyan.
func newPicture() []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{G: 200, B: 200, A: 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // a buffer takes all
	return file.Bytes()
}

// newSound returns a .wav with a second of silence: 8,000 samples of a byte.
func newSound() []byte {
	const rate = 8000
	var file bytes.Buffer
	file.WriteString("RIFF")
	_ = binary.Write(&file, binary.LittleEndian, uint32(36+rate))
	file.WriteString("WAVEfmt ")
	_ = binary.Write(&file, binary.LittleEndian, []uint32{16, 1<<16 | 1, rate, rate, 8<<16 | 1})
	file.WriteString("data")
	_ = binary.Write(&file, binary.LittleEndian, uint32(rate))
	file.Write(bytes.Repeat([]byte{128}, rate))
	return file.Bytes()
}
