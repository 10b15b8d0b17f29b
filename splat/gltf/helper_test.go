package gltf_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/input"
)

// chunk is a part of a GLB file.
type chunk struct {
	kind    string // four letters
	content string
}

// glb writes a GLB file.
func glb(chunks ...chunk) []byte {
	var body []byte
	for _, c := range chunks {
		body = binary.LittleEndian.AppendUint32(body, uint32(len(c.content)))
		body = append(append(body, c.kind...), c.content...)
	}
	b := binary.LittleEndian.AppendUint32([]byte("glTF"), 2)
	b = binary.LittleEndian.AppendUint32(b, uint32(12+len(body)))
	return append(b, body...)
}

// triangle is a document of one triangle in a BIN chunk or a file of 44 bytes: three
// positions and three indices of 16 bits, with two bytes between.
const triangle = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],
"materials":[{}],
"accessors":[
{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,-1],"max":[1,2,0]},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":38,"byteLength":6}],
"buffers":[{"byteLength":44}]}`

// data is what the triangle needs.
var data = strings.Repeat("x", 44)

// external is the triangle with its data in a file of this name.
func external(uri string) string {
	return strings.Replace(triangle, `{"byteLength":44}`, `{"uri":"`+uri+`","byteLength":44}`, 1)
}

// inspect inspects a GLB file with these chunks.
func inspect(t *testing.T, json string, binary ...string) (*gltf.Facts, error) {
	t.Helper()
	chunks := []chunk{{"JSON", json}}
	for _, b := range binary {
		chunks = append(chunks, chunk{"BIN\x00", b})
	}
	return gltf.Inspect(t.Context(), folder.Memory{"scene.glb": glb(chunks...)}, "scene.glb")
}

func changedTriangle(t *testing.T, from, to string) string {
	t.Helper()
	if strings.Count(triangle, from) == 0 {
		t.Fatalf("the triangle has no %s", from)
	}
	return strings.Replace(triangle, from, to, 1)
}

// wantInputError checks the fault that the user reads.
func wantInputError(t *testing.T, err error, name, reason string) {
	t.Helper()
	fault, ok := errors.AsType[*input.Error](err)
	if !ok {
		t.Fatalf("error: got %v, want an *input.Error with %q", err, reason)
	}
	if fault.File != name || !strings.Contains(fault.Message, reason) {
		t.Errorf("error: got %v, want entry %q and %q", fault, name, reason)
	}
}
