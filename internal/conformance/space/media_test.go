package space_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// newCube returns a .glb of a cube with edges of 1 m in magenta, which light does not change.
func newCube() []byte {
	var points, indices bytes.Buffer
	for i := range 8 {
		for axis := range 3 {
			_ = binary.Write(&points, binary.LittleEndian, float32(i>>axis&1)-0.5)
		}
	}
	for _, face := range [][4]uint16{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		_ = binary.Write(&indices, binary.LittleEndian, []uint16{face[0], face[1], face[2], face[0], face[2], face[3]})
	}
	document := fmt.Sprintf(`{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],`+
		`"extensionsUsed":["KHR_materials_unlit"],`+
		`"materials":[{"extensions":{"KHR_materials_unlit":{}},"pbrMetallicRoughness":{"baseColorFactor":[1,0,1,1]}}],`+
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[-0.5,-0.5,-0.5],"max":[0.5,0.5,0.5]},`+
		`{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}],`+
		`"bufferViews":[{"buffer":0,"byteLength":%d},{"buffer":0,"byteOffset":%d,"byteLength":%d}],"buffers":[{"byteLength":%d}]}`,
		points.Len(), points.Len(), indices.Len(), points.Len()+indices.Len())
	for len(document)%4 != 0 {
		document += " "
	}
	binaryChunk := append(points.Bytes(), indices.Bytes()...)
	var file bytes.Buffer
	file.WriteString("glTF")
	_ = binary.Write(&file, binary.LittleEndian, []uint32{2, uint32(12 + 8 + len(document) + 8 + len(binaryChunk)), uint32(len(document))})
	file.WriteString("JSON" + document)
	_ = binary.Write(&file, binary.LittleEndian, uint32(len(binaryChunk)))
	file.WriteString("BIN\x00")
	file.Write(binaryChunk)
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
