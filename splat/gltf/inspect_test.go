package gltf_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/gltf"
)

func facts() *gltf.Facts {
	return &gltf.Facts{
		Version: "2.0", Nodes: 1, Meshes: 1, Primitives: 1, Materials: 1, Vertices: 3, Triangles: 1,
		Bounds: &gaussian.Bounds{Min: [3]float64{0, 0, -1}, Max: [3]float64{1, 2, 0}},
	}
}

func TestInspect_returns_facts(t *testing.T) {
	t.Parallel()
	binary := facts()
	binary.Binary = true
	parted, folded := facts(), facts()
	parted.Files, folded.Files = []string{"a b.bin"}, []string{"m/data/a.bin"}
	for _, test := range []struct {
		name   string
		file   string
		folder folder.Memory
		want   *gltf.Facts
	}{
		{"a GLB", "a.glb", folder.Memory{"a.glb": glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data})}, binary},
		{"a GLB with longer data", "a.glb", folder.Memory{"a.glb": glb(chunk{"JSON", triangle + "  "}, chunk{"BIN\x00", data + "\x00\x00"})}, binary},
		{"a GLB with other chunks", "a.glb", folder.Memory{"a.glb": glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data}, chunk{"MORE", "?"}, chunk{"BIN\x00", ""})}, binary},
		{"a GLB by another name", "a.gltf", folder.Memory{"a.gltf": glb(chunk{"JSON", triangle}, chunk{"BIN\x00", data})}, binary},
		{"a glTF with a file", "a.gltf", folder.Memory{"a.gltf": []byte(external("a%20b.bin")), "a b.bin": []byte(data)}, parted},
		{"a glTF in a folder", "m/a.gltf", folder.Memory{"m/a.gltf": []byte("\ufeff" + external("data/../data/./a.bin")), "m/data/a.bin": []byte(data)}, folded},
		{"a glTF with a backslash", "m/a.gltf", folder.Memory{"m/a.gltf": []byte(external(`data\\a.bin`)), "m/data/a.bin": []byte(data)}, folded},
		{"a glTF with data in it", "a.gltf", folder.Memory{"a.gltf": []byte(external("data:application/octet-stream;base64," + strings.Repeat("AAAA", 14) + "AAA="))}, facts()},
		{"a glTF with text in it", "a.gltf", folder.Memory{"a.gltf": []byte(external("data:," + strings.Repeat("%41", 44)))}, facts()},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := gltf.Inspect(t.Context(), test.folder, test.file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("facts (-want +got): %s", d)
			}
		})
	}
}

func TestInspect_counts(t *testing.T) {
	t.Parallel()
	// Of 7 positions, 9 others and 10 indices.
	const accessors = `"accessors":[
{"componentType":5126,"count":7,"type":"VEC3"},{"componentType":5126,"count":9,"type":"VEC3"},{"componentType":5123,"count":10,"type":"SCALAR"}],`
	for _, test := range []struct {
		name                        string
		primitives                  string
		vertices, triangles, splats int64
	}{
		{"triangles", `{"attributes":{"POSITION":1}}`, 9, 3, 0},
		{"indexed triangles", `{"attributes":{"POSITION":1},"indices":2}`, 9, 3, 0},
		{"a strip", `{"attributes":{"POSITION":1},"mode":5}`, 9, 7, 0},
		{"an indexed fan", `{"attributes":{"POSITION":1},"mode":6,"indices":2}`, 9, 8, 0},
		{"points and lines", `{"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":1},"mode":1}`, 16, 0, 0},
		{"shared positions", `{"attributes":{"POSITION":1}},{"attributes":{"POSITION":1}}`, 9, 6, 0},
		{"no positions", `{"attributes":{}}`, 0, 0, 0},
		{"Gaussians", `{"attributes":{"POSITION":0},"mode":0,"extensions":{"KHR_gaussian_splatting":{"kernel":"ellipse"}}}`, 7, 0, 7},
		{"no Gaussians", `{"attributes":{"POSITION":0},"mode":0,"extensions":{"KHR_gaussian_splatting":null}}`, 7, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := inspect(t, `{"asset":{"version":"2.0"},`+accessors+`"meshes":[{"primitives":[`+test.primitives+`]}],"images":[{}],"textures":[{"source":0},{}],"animations":[{},{},{}]}`)
			if err != nil {
				t.Fatal(err)
			}
			want := [...]int64{test.vertices, test.triangles, test.splats, 1, 2, 3}
			if got := [...]int64{got.Vertices, got.Triangles, got.Splats, int64(got.Images), int64(got.Textures), int64(got.Animations)}; got != want {
				t.Errorf("vertices, triangles, splats, images, textures, animations: got %v, want %v", got, want)
			}
		})
	}
}

func TestInspect_names_extensions(t *testing.T) {
	t.Parallel()
	got, err := inspect(t, `{"asset":{"version":"2.0"},"extensionsUsed":["KHR_texture_basisu","KHR_draco_mesh_compression","KHR_texture_basisu"],"extensionsRequired":["KHR_draco_mesh_compression"]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &gltf.Facts{Binary: true, Version: "2.0", ExtensionsUsed: []string{"KHR_draco_mesh_compression", "KHR_texture_basisu"}, ExtensionsRequired: []string{"KHR_draco_mesh_compression"}}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("facts (-want +got): %s", d)
	}
	if !got.Uses("KHR_texture_basisu") || !got.Uses("KHR_draco_mesh_compression") || got.Uses("EXT_meshopt_compression") {
		t.Error("uses: got the wrong extensions")
	}
}

func TestInspect_accepts_everything_that_the_format_allows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, from, to string }{
		{"numbers with a point", `"count":3,"type":"VEC3"`, `"count":3.0,"type":"VEC3"`},
		{"numbers with an exponent", `"byteLength":36`, `"byteLength":3.6e1`},
		{"a later version that is compatible", `"version":"2.0"`, `"version":"2.1","minVersion":"2.0"`},
		{"a stride of which the last value needs less", `"byteLength":36}`, `"byteLength":36,"byteStride":12}`},
		{"a type that an extension adds", `"scene":0`, `"scene":0,"extensionsUsed":["KHR_more_types"],"accessors":[{"componentType":5130,"count":1,"type":"SCALAR"}],"meshes":[],"nodes":[]`},
		{"data that an extension replaces", `{"byteLength":44}`, `{"byteLength":44},{"byteLength":99,"extensions":{"EXT_meshopt_compression":{"fallback":true}}}`},
		{"data that the later extension replaces", `{"byteLength":44}`, `{"byteLength":44},{"byteLength":99,"extensions":{"KHR_meshopt_compression":{"fallback":true}}}`},
		{"a view that an extension unpacks", `{"buffer":0,"byteLength":36}`, `{"buffer":0,"byteLength":36,"extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":40,"byteLength":4}}}`},
		{"matrices whose columns fill four bytes", `"accessors":[`, `"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"},
{"bufferView":0,"componentType":5121,"count":4,"type":"MAT2"},{"bufferView":0,"componentType":5120,"count":3,"type":"MAT3"},{"bufferView":0,"componentType":5122,"count":1,"type":"MAT4"},{"bufferView":0,"componentType":5125,"count":2,"type":"VEC4"},{"bufferView":0,"componentType":5126,"count":4,"type":"VEC2"},`},
		{"values that are replaced", `"type":"SCALAR"`, `"type":"SCALAR","sparse":{"count":2,"indices":{"bufferView":0,"byteOffset":34,"componentType":5121},"values":{"bufferView":1,"byteOffset":2}}`},
		{"an accessor of nothing", `"count":3,"type":"SCALAR"`, `"count":0,"byteOffset":6,"type":"SCALAR"`},
		{"a library without scenes", `"scene":0,"scenes":[{"nodes":[0]}],`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := inspect(t, changedTriangle(t, test.from, test.to), data); err != nil {
				t.Errorf("got %v, want it accepted", err)
			}
		})
	}
}

func TestInspect_bounds_the_scene(t *testing.T) {
	t.Parallel()
	half := math.Sqrt2 / 2
	for _, test := range []struct {
		name, nodes string
		want        *gaussian.Bounds
	}{
		{"as it is", `[{"mesh":0}]`, box(0, 0, -1, 1, 2, 0)},
		{"moved", `[{"mesh":0,"translation":[10,20,30]}]`, box(10, 20, 29, 11, 22, 30)},
		{"scaled and mirrored", `[{"mesh":0,"scale":[2,3,-1]}]`, box(0, 0, 0, 2, 6, 1)},
		{"turned about z", fmt.Sprintf(`[{"mesh":0,"rotation":[0,0,%v,%v]}]`, half, half), box(-2, 0, -1, 0, 1, 0)},
		{"turned about x, then moved", fmt.Sprintf(`[{"mesh":0,"rotation":[%v,0,0,%v],"translation":[0,0,5]}]`, half, half), box(0, 0, 5, 1, 1, 7)},
		{"scaled, then turned about y", fmt.Sprintf(`[{"mesh":0,"rotation":[0,%v,0,%v],"scale":[4,1,1]}]`, half, half), box(-1, 0, -4, 0, 2, 0)},
		{"placed by a matrix", `[{"mesh":0,"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 7,8,9,1]}]`, box(5, 8, 8, 7, 9, 9)},
		{"placed by its parents", `[{"scale":[2,2,2],"children":[1]},{"translation":[1,0,0],"children":[2]},{"mesh":0}]`, box(2, 0, -2, 4, 4, 0)},
		{"placed twice", `[{"mesh":0,"children":[1]},{"mesh":0,"translation":[0,0,10]}]`, box(0, 0, -1, 1, 2, 10)},
		{"without meshes", `[{}]`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := inspect(t, changedTriangle(t, `[{"mesh":0}]`, test.nodes), data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got.Bounds, cmpopts.EquateApprox(0, 1e-9)); d != "" {
				t.Errorf("bounds (-want +got): %s", d)
			}
		})
	}
}

func box(x, y, z, ex, ey, ez float64) *gaussian.Bounds {
	return &gaussian.Bounds{Min: [3]float64{x, y, z}, Max: [3]float64{ex, ey, ez}}
}

func TestInspect_returns_bounds_if_they_are_known(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, from, to string
		want           *gaussian.Bounds
	}{
		{"shares of one", `"componentType":5126,"count":3`, `"componentType":5121,"normalized":true,"count":3`, box(0, 0, -1.0/255, 1.0/255, 2.0/255, 0)},
		{"shares of one in bytes with a sign", `"componentType":5126,"count":3`, `"componentType":5120,"normalized":true,"count":3`, box(0, 0, -1.0/127, 1.0/127, 2.0/127, 0)},
		{"shares of one in 16 bits", `"componentType":5126,"count":3`, `"componentType":5123,"normalized":true,"count":3`, box(0, 0, -1.0/65535, 1.0/65535, 2.0/65535, 0)},
		{"shares of one in 16 bits with a sign", `"componentType":5126,"count":3`, `"componentType":5122,"normalized":true,"count":3`, box(0, 0, -1.0/32767, 1.0/32767, 2.0/32767, 0)},
		{"whole numbers", `"componentType":5126,"count":3`, `"componentType":5122,"count":3`, box(0, 0, -1, 1, 2, 0)},
		{"normalized fractions, which there are not", `"componentType":5126,"count":3`, `"componentType":5126,"normalized":true,"count":3`, box(0, 0, -1, 1, 2, 0)},
		{"positions without a range", `,"min":[0,0,-1]`, ``, nil},
		{"positions with half a range", `"max":[1,2,0]`, `"max":[1,2]`, nil},
		{"a range that is empty", `"max":[1,2,0]`, `"max":[-1,2,0]`, nil},
		{"positions of an extension", `"POSITION":0`, `"NORMAL":0`, nil},
		{"another scene", `"scenes":[`, `"scenes":[{},`, nil},
		{"the first scene of several", `"scene":0,"scenes":[`, `"scenes":[{"nodes":[0]},{},`, box(0, 0, -1, 1, 2, 0)},
		{"no scene", `"scene":0,"scenes":[{"nodes":[0]}],`, ``, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := inspect(t, changedTriangle(t, test.from, test.to), data)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got.Bounds, cmpopts.EquateApprox(1e-12, 0)); d != "" {
				t.Errorf("bounds (-want +got): %s", d)
			}
		})
	}
}

func TestInspect_walks_deep_trees(t *testing.T) {
	t.Parallel()
	const depth = 50_000
	var nodes strings.Builder
	for i := range depth {
		fmt.Fprintf(&nodes, `{"translation":[1,0,0],"children":[%d]},`, i+1)
	}
	got, err := inspect(t, changedTriangle(t, `[{"mesh":0}]`, "["+nodes.String()+`{"mesh":0}]`), data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(box(depth, 0, -1, depth+1, 2, 0), got.Bounds); d != "" {
		t.Errorf("bounds (-want +got): %s", d)
	}
}
