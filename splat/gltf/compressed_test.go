package gltf_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/input"
	"portico/splat/splattest"
)

// compress returns the GLB with all its data compressed by meshoptimizer.
func compress(t testing.TB, glb []byte) []byte {
	t.Helper()
	compressed, err := splattest.MeshoptGLB(glb)
	if err != nil {
		t.Fatal(err)
	}
	return compressed
}

func TestOpen_reads_meshoptimizer(t *testing.T) {
	t.Parallel()
	const n = 9000 // several parts of a view, each of several blocks
	glb := write(t, cloud(n, 1))
	want := readAll(t, open(t, folder.Memory{"a.glb": glb}, "a.glb"))
	compressed := compress(t, glb)
	for name, content := range map[string][]byte{
		"of Khronos":    compressed,
		"of the vendor": bytes.ReplaceAll(compressed, []byte(`KHR_meshopt`), []byte(`EXT_meshopt`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, folder.Memory{"a.glb": content}, "a.glb")
			if got := readAll(t, f); !reflect.DeepEqual(got, want) {
				t.Errorf("cloud: got %d Gaussians that differ from the %d that were compressed", got.Len(), want.Len())
			}
			if f.Facts.Splats != n {
				t.Errorf("splats: got %d, want %d", f.Facts.Splats, n)
			}
		})
	}
}

// split returns the JSON of a GLB, for data in the file a.bin, and the data.
func split(t *testing.T, glb []byte) (document string, data []byte) {
	t.Helper()
	const start, chunkHeader = 12, 8
	length := int(binary.LittleEndian.Uint32(glb[start:]))
	document = strings.Replace(string(glb[start+chunkHeader:][:length]), `"buffers":[{`, `"buffers":[{"uri":"a.bin",`, 1)
	return document, bytes.Clone(glb[start+2*chunkHeader+length:])
}

func TestOpen_refuses_compression_that_is_wrong(t *testing.T) {
	t.Parallel()
	document, data := split(t, compress(t, write(t, cloud(3, 0))))
	for name, test := range map[string]struct{ from, to, reason string }{
		"another mode":    {`"mode":"ATTRIBUTES"`, `"mode":"TRIANGLES"`, `in the mode "TRIANGLES", which cannot be read`},
		"another filter":  {`"mode":"ATTRIBUTES"`, `"mode":"ATTRIBUTES","filter":"X"`, `the filter "X" is not allowed`},
		"another count":   {`"count":3,"mode"`, `"count":2,"mode"`, "its compressed data has 2 values of"},
		"a huge count":    {`"count":3,"mode"`, `"count":9007199254740991,"mode"`, "its compressed data has 9007199254740991 values of"},
		"an odd stride":   {`"byteStride":12`, `"byteStride":13`, "3 elements of 13 bytes are not allowed"},
		"a stride of 0":   {`"byteStride":12`, `"byteStride":0`, "3 elements of 0 bytes are not allowed"},
		"a damaged start": {"\xa1", "\xa7", "cannot be decoded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := folder.Memory{
				"a.gltf": []byte(strings.ReplaceAll(document, test.from, test.to)), "a.bin": bytes.ReplaceAll(data, []byte(test.from), []byte(test.to)),
			}
			wantInputError(t, open(t, files, "a.gltf").Fault, "a.gltf", test.reason)
		})
	}
	_, err := gltf.Open(t.Context(), folder.Memory{
		"a.gltf": []byte(strings.Replace(document, `"KHR_meshopt_compression":{"buffer":0`, `"KHR_meshopt_compression":{"buffer":7`, 1)), "a.bin": data,
	}, "a.gltf")
	wantInputError(t, err, "a.gltf", "refers to buffer 7, but there are 2")
	// Only compressed views may be of a buffer without data.
	_, err = gltf.Open(t.Context(), folder.Memory{
		"a.gltf": []byte(strings.Replace(document, `KHR_meshopt_compression`, `other`, 1)), "a.bin": data,
	}, "a.gltf")
	wantInputError(t, err, "a.gltf", "buffer 1 has no data")
}

// A few bytes may say that they are any number of values.
func TestOpen_refuses_compressed_Gaussians_without_number(t *testing.T) {
	t.Parallel()
	document, data := split(t, compress(t, write(t, cloud(3, 0))))
	const many = 2_000_000_000
	for _, size := range []int{4, 12, 16} {
		document = strings.ReplaceAll(document, fmt.Sprintf(`"byteLength":%d,"buffer":1`, 3*size), fmt.Sprintf(`"byteLength":%d,"buffer":1`, many*size))
		document = strings.ReplaceAll(document, fmt.Sprintf(`"buffer":1,"byteLength":%d,`, 3*size), fmt.Sprintf(`"buffer":1,"byteLength":%d,`, many*size))
	}
	document = strings.ReplaceAll(document, `"count":3`, fmt.Sprintf(`"count":%d`, many))
	document = strings.ReplaceAll(document, fmt.Sprintf(`{"byteLength":%d}`, 3*56), fmt.Sprintf(`{"byteLength":%d}`, many*56))
	f, err := gltf.Open(t.Context(), folder.Memory{"a.gltf": []byte(document), "a.bin": data}, "a.gltf")
	if err == nil {
		defer f.Close()
		err = f.Fault
	}
	if fault, ok := errors.AsType[*input.Error](err); !ok {
		t.Errorf("got %v, want a fault of the file", err)
	} else {
		t.Log(fault)
	}
}
