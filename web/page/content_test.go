package page_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contentOf returns a small file that browsers can load, of the format of its name.
func contentOf(t *testing.T, name string) string {
	t.Helper()
	switch filepath.Ext(name) {
	case ".sog":
		content, err := os.ReadFile("../../splat/sog/testdata/splat-transform.sog")
		check(t, err)
		return string(content)
	case ".glb":
		return triangle()
	case ".png":
		var b bytes.Buffer
		check(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 32, 20))))
		return b.String()
	case ".wav":
		return silence()
	}
	t.Fatalf("%s: got no content of this format", name)
	return ""
}

// triangle returns a binary glTF with a triangle.
func triangle() string {
	const json = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],` +
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"byteLength":36}],` +
		`"bufferViews":[{"buffer":0,"byteLength":36}],` +
		`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]}`
	text := json + strings.Repeat(" ", (4-len(json)%4)%4) // chunks are whole words
	var vertices []byte
	for _, v := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 0} {
		vertices, _ = binary.Append(vertices, binary.LittleEndian, v) // never fails for numbers
	}
	le := binary.LittleEndian
	file := le.AppendUint32(le.AppendUint32([]byte("glTF"), 2), uint32(12+8+len(text)+8+len(vertices)))
	file = append(le.AppendUint32(file, uint32(len(text))), "JSON"+text...)
	file = append(le.AppendUint32(file, uint32(len(vertices))), "BIN\x00"...)
	return string(append(file, vertices...))
}

// silence returns a WAV of a tenth of a second.
func silence() string {
	const rate, samples = 8000, 800
	le := binary.LittleEndian
	file := append(le.AppendUint32([]byte("RIFF"), 36+samples), "WAVEfmt "...)
	file = le.AppendUint16(le.AppendUint16(le.AppendUint32(file, 16), 1), 1) // PCM, one channel
	file = le.AppendUint32(le.AppendUint32(file, rate), rate)
	file = append(le.AppendUint16(le.AppendUint16(file, 1), 8), "data"...)
	file = le.AppendUint32(file, samples)
	return string(append(file, bytes.Repeat([]byte{128}, samples)...))
}
