package gltf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/gltf"
	"portico/splat/input"
)

func TestInspect_refuses_containers(t *testing.T) {
	t.Parallel()
	good := string(glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data}))
	var many []chunk
	for range 1025 {
		many = append(many, chunk{"MORE", ""})
	}
	for _, test := range []struct{ name, content, reason string }{
		{"an empty file", "", "is not a glTF file"},
		{"a file that is not JSON", "solid cube", "is not a glTF file"},
		{"JSON of something else", "{}", "is not a glTF file: it has no version"},
		{"JSON of another form", `{"asset":{"version":"2.0"},"meshes":{}}`, "its JSON cannot be read"},
		{"glTF 1.0, which has names for indices", `{"scene":"main","meshes":{},"asset":{"version":"1.1"}}`, `is glTF version "1.1"; 2.0 can be read`},
		{"a string for a number", `{"asset":{"version":"2.0"},"scene":"0"}`, "its JSON cannot be read"},
		{"a fraction for a whole number", `{"asset":{"version":"2.0"},"scene":0.5}`, "its JSON cannot be read"},
		{"a number beyond all", `{"asset":{"version":"2.0"},"scene":1e300}`, "its JSON cannot be read"},
		{"JSON that is too deep", strings.Repeat("[", 20_000), "its JSON cannot be read"},
		{"JSON of too many objects", `{"nodes":[` + strings.Repeat("{},", 1<<20) + `{}]}`, "at most 1048576 can be read"},
		{"a half header", good[:11], "it ends within its GLB header"},
		{"a magic number only", "glTF", "it ends within its GLB header"},
		{"version 1", strings.Replace(good, "\x02", "\x01", 1), "is GLB version 1"},
		{"a file that is cut off", good[:len(good)-1], fmt.Sprintf("it has %d bytes, and its header requires %d", len(good)-1, len(good))},
		{"a file that is too long", good + "\n", fmt.Sprintf("it has %d bytes, and its header requires %d", len(good)+1, len(good))},
		{"no chunks", string(glb()), "it has no JSON"},
		{"a first chunk that is not JSON", string(glb(chunk{"BIN\x00", data}, chunk{"JSON", triangle})), "its first chunk, and no other, must be JSON"},
		{"two chunks of JSON", string(glb(chunk{"JSON", triangle}, chunk{"JSON", triangle})), "its first chunk, and no other, must be JSON"},
		{"too many chunks", string(glb(append([]chunk{{"JSON", triangle}}, many...)...)), "more than 1024 chunks"},
		{"a chunk beyond the end", strings.Replace(good, "\x00\x00JSON", "\x00\x01JSON", 1), "its chunk 1 of"},
		{"a chunk header that is cut off", string(glb(chunk{"JSON", triangle}, chunk{"BIN\x00", "12"}))[:12+8+len(triangle)+7], "is cut off"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := gltf.Inspect(t.Context(), folder.Memory{"scene.glb": []byte(test.content)}, "scene.glb")
			wantInputError(t, err, "scene.glb", test.reason)
		})
	}
}

func TestInspect_refuses_a_chunk_header_that_is_cut_off(t *testing.T) {
	t.Parallel()
	b := glb(chunk{"JSON", triangle})
	b = append(b, 1, 2, 3)
	b[8] += 3
	_, err := gltf.Inspect(t.Context(), folder.Memory{"a": b}, "a")
	wantInputError(t, err, "a", "its chunk 2 is cut off")
}

func TestInspect_refuses_files_cut_off_anywhere(t *testing.T) {
	t.Parallel()
	b := glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data})
	for n := range b {
		_, err := gltf.Inspect(t.Context(), folder.Memory{"a": b[:n]}, "a")
		if _, ok := errors.AsType[*input.Error](err); !ok {
			t.Errorf("cut to %d of %d bytes: got %v, want an *input.Error", n, len(b), err)
		}
	}
}

// refusal is a change of the triangle's JSON and a part of the error that it causes.
type refusal struct{ name, from, to, reason string }

// wantRefused makes each change and compares the error.
func wantRefused(t *testing.T, all []refusal) {
	t.Helper()
	for _, test := range all {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, err := inspect(t, changedTriangle(t, test.from, test.to), data)
			wantInputError(t, err, "scene.glb", test.reason)
		})
	}
}

func TestInspect_refuses_views_and_accessors(t *testing.T) {
	t.Parallel()
	const huge = "9007199254740992" // 2^53
	wantRefused(t, []refusal{
		{"glTF 1.0", `"version":"2.0"`, `"version":"1.0"`, `is glTF version "1.0"`},
		{"what only later viewers can read", `"version":"2.0"`, `"version":"2.1","minVersion":"2.1"`, `requires glTF version "2.1"`},
		{"a view of no buffer", `"buffer":0,"byteLength":36`, `"buffer":1,"byteLength":36`, "buffer view 0 refers to buffer 1, but there are 1"},
		{"a view beyond its buffer", `"byteOffset":38`, `"byteOffset":39`, "buffer view 1 of 6 bytes at 39 is outside of buffer 0 of 44 bytes"},
		{"a view of huge size", `"byteOffset":38,"byteLength":6`, `"byteOffset":` + huge + `,"byteLength":` + huge, "is outside of buffer"},
		{"a view of negative size", `"byteLength":36`, `"byteLength":-1`, "is outside of buffer"},
		{"a view before its buffer", `"byteOffset":38`, `"byteOffset":-1`, "is outside of buffer"},
		{"a stride of nothing", `"byteLength":36`, `"byteLength":36,"byteStride":0`, "has a stride of 0 bytes"},
		{"a stride that is too long", `"byteLength":36`, `"byteLength":36,"byteStride":253`, "has a stride of 253 bytes"},
		{"packed data beyond its buffer", `"byteLength":36`, `"byteLength":36,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":40,"byteLength":5}}`, "buffer view 0 of 5 bytes at 40"},
		{"packed data of no buffer", `"byteLength":36`, `"byteLength":36,"extensions":{"KHR_meshopt_compression":{"buffer":7}}`, "refers to buffer 7"},
		{"an accessor of no view", `"bufferView":0`, `"bufferView":2`, "accessor 0 refers to buffer view 2, but there are 2"},
		{"an accessor of a negative view", `"bufferView":0`, `"bufferView":-1`, "accessor 0 refers to buffer view -1"},
		{"an accessor beyond its view", `"count":3,"type":"SCALAR"`, `"count":4,"type":"SCALAR"`, "accessor 1 of 4 values of 2 bytes is outside of its buffer view 1"},
		{"an accessor beyond its view by its offset", `"bufferView":1`, `"bufferView":1,"byteOffset":1`, "accessor 1 of 3 values"},
		{"an accessor beyond its view by its stride", `"byteLength":36`, `"byteLength":36,"byteStride":16`, "accessor 0 of 3 values of 12 bytes"},
		{"an accessor with a huge offset", `"bufferView":1`, `"bufferView":1,"byteOffset":` + huge, "accessor 1 of 3 values"},
		{"an accessor with a negative offset", `"bufferView":1`, `"bufferView":1,"byteOffset":-2`, "accessor 1 of 3 values"},
		{"an accessor of nothing beyond its view", `"count":3,"type":"SCALAR"`, `"count":0,"byteOffset":7,"type":"SCALAR"`, "accessor 1 of 0 values"},
		{"a negative count", `"count":3,"type":"VEC3"`, `"count":-3,"type":"VEC3"`, "accessor 0 has the count -3"},
		{"a huge count", `"count":3,"type":"VEC3"`, `"count":` + huge + `,"type":"VEC3"`, "accessor 0 has the count"},
		{"a large count", `"count":3,"type":"VEC3"`, `"count":4294967295,"type":"VEC3"`, "is outside of its buffer view"},
		{"an unknown component", `"componentType":5126`, `"componentType":5124`, `accessor 0 has the unknown type "VEC3" of 5124`},
		{"an unknown type", `"VEC3"`, `"VEC5"`, `unknown type "VEC5"`},
		{"more replaced than there are", `"type":"SCALAR"`, sparse(4, 0, 0, 5121, 1, 0), "accessor 1 of 3 values replaces 4 of them"},
		{"replaced from no view", `"type":"SCALAR"`, sparse(1, 9, 0, 5121, 1, 0), "from a buffer view that does not exist"},
		{"replaced by values of no view", `"type":"SCALAR"`, sparse(1, 0, 0, 5121, -1, 0), "from a buffer view that does not exist"},
		{"replaced by fractions", `"type":"SCALAR"`, sparse(1, 0, 0, 1, 1, 0), "indices of the unknown type 1"},
		{"replaced by indices outside", `"type":"SCALAR"`, sparse(2, 0, 35, 5121, 1, 0), "from outside of its buffer views"},
		{"replaced by values outside", `"type":"SCALAR"`, sparse(2, 0, 0, 5121, 1, 3), "from outside of its buffer views"},
	})
}

func TestInspect_refuses_objects(t *testing.T) {
	t.Parallel()
	wantRefused(t, []refusal{
		{"an image of no view", `"materials"`, `"images":[{"bufferView":2}],"materials"`, "image 0 refers to buffer view 2, but there are 2"},
		{"a texture of no image", `"materials"`, `"textures":[{"source":0}],"materials"`, "texture 0 refers to image 0, but there are 0"},
		{"positions of no accessor", `"POSITION":0`, `"POSITION":2`, "primitive 0 of mesh 0 refers to accessor 2 for positions, but there are 2"},
		{"positions that are none", `"POSITION":0`, `"POSITION":1`, `has positions of type "SCALAR"`},
		{"indices of no accessor", `"indices":1`, `"indices":-1`, "refers to accessor -1 for indices, but there are 2"},
		{"no material", `"material":0`, `"material":1`, "refers to material 1, but there are 1"},
		{"an unknown mode", `"indices":1`, `"indices":1,"mode":7`, "has the unknown mode 7"},
		{"a node of no mesh", `"mesh":0`, `"mesh":1`, "node 0 refers to mesh 1, but there are 1"},
		{"a node of a child that there is not", `"mesh":0`, `"children":[1]`, "node 0 refers to child 1, but there are 1"},
		{"a node that is its own child", `"mesh":0`, `"children":[0]`, "node 0 is in scene 0 twice, or its own ancestor"},
		{"a node that is its own ancestor", `[{"mesh":0}]`, `[{"children":[1]},{"children":[2]},{"children":[0]}]`, "or its own ancestor"},
		{"a node with two parents", `[{"mesh":0}]`, `[{"children":[1,2]},{"children":[2]},{}]`, "node 2 has two parents"},
		{"a node twice in a scene", `"nodes":[0]`, `"nodes":[0,0]`, "node 0 is in scene 0 twice"},
		{"a half matrix", `"mesh":0`, `"mesh":0,"matrix":[1,0,0,0]`, "node 0 has a matrix of 4 numbers instead of 16"},
		{"a translation in a plane", `"mesh":0`, `"mesh":0,"translation":[1,0]`, "node 0 has a translation of 2 numbers"},
		{"a rotation of angles", `"mesh":0`, `"mesh":0,"rotation":[1,0,0]`, "node 0 has a rotation of 3 numbers"},
		{"a scale of one", `"mesh":0`, `"mesh":0,"scale":[]`, "node 0 has a scale of 0 numbers"},
		{"a place placed at infinity", `[{"mesh":0}]`, `[{"scale":[1e200,1,1],"children":[1]},{"mesh":0,"scale":[1e200,1,1]}]`, "placed at infinity"},
		{"a scene of no node", `"nodes":[0]`, `"nodes":[1]`, "scene 0 refers to node 1, but there are 1"},
		{"no default scene", `"scene":0`, `"scene":1`, "its default scene is number 1, but there are 1"},
		{"a buffer of a negative size", `{"byteLength":44}`, `{"byteLength":44},{"uri":"data:,","byteLength":-1}`, "buffer 1 claims -1 bytes"},
		{"a buffer that is larger than the chunk", `{"byteLength":44}`, `{"byteLength":45}`, "buffer 0 claims 45 bytes and has 44"},
		{"a second buffer without data", `{"byteLength":44}`, `{"byteLength":44},{"byteLength":1}`, "buffer 1 has no data"},
		{"data that is too short", `{"byteLength":44}`, `{"uri":"data:;base64,AAAA","byteLength":44}`, "buffer 0 claims 44 bytes and has 3"},
		{"data that is damaged", `{"byteLength":44}`, `{"uri":"data:;base64,A*AA","byteLength":44}`, "the data of buffer 0 cannot be read"},
		{"data without a comma", `{"byteLength":44}`, `{"uri":"data:;base64","byteLength":44}`, "the data of buffer 0 cannot be read"},
		{"an image that is damaged", `"materials"`, `"images":[{"uri":"data:%"}],"materials"`, "the data of image 0 cannot be read"},
	})
}

// sparse replaces values of the indices of the triangle.
func sparse(count, indices, indicesAt, kind, values, valuesAt int) string {
	return fmt.Sprintf(`"type":"SCALAR","sparse":{"count":%d,"indices":{"bufferView":%d,"byteOffset":%d,"componentType":%d},"values":{"bufferView":%d,"byteOffset":%d}}`,
		count, indices, indicesAt, kind, values, valuesAt)
}

func TestInspect_refuses_data_that_is_not_there(t *testing.T) {
	t.Parallel()
	_, err := inspect(t, triangle)
	wantInputError(t, err, "scene.glb", "buffer 0 has no data")
	for _, test := range []struct{ name, uri, reason string }{
		{"a file that is missing", "b.bin", `refers to "m/b.bin", which is missing`},
		{"a file that is shorter", "short.bin", "buffer 0 claims 44 bytes and has 1"},
		{"a file outside", "../../a.bin", "outside of its folder"},
		{"a file outside by an escape", "%2e%2e/%2e%2e/a.bin", "outside of its folder"},
		{"a file outside by a backslash", `..\\..\\a.bin`, "outside of its folder"},
		{"a name with a zero byte", "a%00.bin", "outside of its folder"},
		{"an absolute path", "/a.bin", "which has an absolute path"},
		{"an absolute path by a backslash", `\\a.bin`, "which has an absolute path"},
		{"an address", "https://example.com/a.bin", `refers to the address "https://example.com/a.bin"`},
		{"an address without a scheme", "//example.com/a.bin", "refers to the address"},
		{"an address of a Windows share", `\\\\example.com\\a.bin`, "refers to the address"},
		{"a local file", "file:///etc/passwd", "refers to the address"},
		{"a drive", "C:/a.bin", "refers to the address"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			files := folder.Memory{"m/a.gltf": []byte(external(test.uri)), "a.bin": []byte(data), "m/short.bin": []byte("x")}
			_, err := gltf.Inspect(t.Context(), files, "m/a.gltf")
			wantInputError(t, err, "m/a.gltf", test.reason)
			image := strings.Replace(external("m.bin"), `"materials"`, `"images":[{"uri":"`+test.uri+`"}],"materials"`, 1)
			files["m/a.gltf"], files["m/m.bin"] = []byte(image), []byte(data)
			if _, err = gltf.Inspect(t.Context(), files, "m/a.gltf"); test.uri != "short.bin" {
				wantInputError(t, err, "m/a.gltf", test.reason)
			}
		})
	}
}

func TestInspect_refuses_too_many_files(t *testing.T) {
	t.Parallel()
	files := folder.Memory{"100%.png": nil}
	var images []string
	for i := range 10_001 {
		images = append(images, fmt.Sprintf(`{"uri":"%d.png"}`, i), `{"uri":"100%.png"}`)
		files[fmt.Sprintf("%d.png", i)] = nil
	}
	files["a"] = []byte(`{"asset":{"version":"2.0"},"images":[` + strings.Join(images, ",") + `]}`)
	_, err := gltf.Inspect(t.Context(), files, "a")
	wantInputError(t, err, "a", "names more than 10000 files")
}
