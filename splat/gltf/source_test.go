package gltf_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/spz"
)

func TestOpen_reads_all_spellings_and_types(t *testing.T) {
	t.Parallel()
	const prefix = "KHR_gaussian_splatting:"
	colour := func(d *document) int { return d.add("VEC4", 5121, 1, true, []byte{128, 128, 128, 128}) }
	for name, test := range map[string]struct {
		change    map[string]func(d *document) int
		tolerance float64
	}{
		"the ratified names": {nil, 1e-6},
		"COLOR_0 for colour and opacity": {map[string]func(d *document) int{
			prefix + "OPACITY": nil, prefix + "SH_DEGREE_0_COEF_0": nil, "COLOR_0": colour,
		}, 0.01},
		"names with an underscore": {map[string]func(d *document) int{
			prefix + "OPACITY": nil, prefix + "SH_DEGREE_0_COEF_0": nil, "COLOR_0": colour, prefix + "ROTATION": nil, prefix + "SCALE": nil,
			"_ROTATION": func(d *document) int { return d.floats("VEC4", 4, 0, 0, 0, 1) },
			"_SCALE":    func(d *document) int { return d.floats("VEC3", 3, 1, 2, 4) },
		}, 0.01},
		"normalized shorts and bytes": {map[string]func(d *document) int{
			prefix + "ROTATION": func(d *document) int {
				return d.add("VEC4", 5122, 1, true, []byte{0, 0, 0, 0, 0, 0, 0xff, 0x7f})
			},
			prefix + "OPACITY": func(d *document) int { return d.add("SCALAR", 5123, 1, true, []byte{0, 0x80}) },
			prefix + "SCALE":   func(d *document) int { return d.add("VEC3", 5121, 1, false, []byte{1, 2, 4}) },
		}, 1e-4},
		"signed bytes": {map[string]func(d *document) int{
			prefix + "ROTATION": func(d *document) int { return d.add("VEC4", 5120, 1, true, []byte{0, 0, 0, 0x80}) },
		}, 1e-4},
		"logits of opacities": {map[string]func(d *document) int{
			prefix + "OPACITY": func(d *document) int { return d.floats("SCALAR", 1, -1e-5) },
		}, 1e-4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := one(test.change)
			wantCloud(t, grey(), readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf")), test.tolerance)
		})
	}
}

func TestOpen_recognises_logarithms_of_scales(t *testing.T) {
	t.Parallel()
	d := one(map[string]func(d *document) int{"KHR_gaussian_splatting:SCALE": func(d *document) int { return d.floats("VEC3", 3, -3, 0, 1) }})
	got := readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf"))
	if want := []float32{-3, 0, 1}; cmp.Diff(want, got.Scales) != "" {
		t.Errorf("scales: got %v, want %v", got.Scales, want)
	}
}

func TestOpen_places_Gaussians_by_their_nodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nodes string
		want  [][3]float32 // in the axes of glTF
		size  float64      // of the smallest axis
	}{
		"a translation": {`[{"mesh":0,"translation":[10,0,0]}]`, [][3]float32{{11, 2, 3}}, 1},
		"a scale":       {`[{"mesh":0,"scale":[2,2,2]}]`, [][3]float32{{2, 4, 6}}, 2},
		"a rotation":    {`[{"mesh":0,"rotation":[0,0.7071068,0,0.7071068]}]`, [][3]float32{{3, 2, -1}}, 1},
		"a parent":      {`[{"children":[1],"scale":[2,2,2]},{"mesh":0,"translation":[1,1,1]}]`, [][3]float32{{4, 6, 8}}, 2},
		"two nodes":     {`[{"mesh":0,"children":[1]},{"mesh":0,"translation":[0,0,1]}]`, [][3]float32{{1, 2, 3}, {1, 2, 4}}, 1},
		"a matrix":      {`[{"mesh":0,"matrix":[0,1,0,0,-1,0,0,0,0,0,1,0,0,0,5,1]}]`, [][3]float32{{-2, 1, 8}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := one(nil)
			if err := json.Unmarshal([]byte(test.nodes), &d.nodes); err != nil {
				t.Fatal(err)
			}
			got := readAll(t, open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf"))
			if got.Len() != len(test.want) {
				t.Fatalf("got %d Gaussians, want %d", got.Len(), len(test.want))
			}
			for i, want := range test.want {
				for k, sign := range []float32{-1, -1, 1} {
					if math.Abs(float64(got.Positions[3*i+k]-sign*want[k])) > 1e-5 {
						t.Errorf("position: got %v, want %v with x and y turned", got.Positions[3*i:3*i+3], want)
					}
				}
			}
			if size := math.Exp(float64(got.Scales[0])); math.Abs(size-test.size) > 1e-4 {
				t.Errorf("size: got %v, want %v", size, test.size)
			}
		})
	}
}

// compressedDocument returns a document whose Gaussians are an SPZ file, with the extension and
// attributes of a draft.
func compressedDocument(t *testing.T, c *gaussian.Cloud, extensions string) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := spz.Write(t.Context(), gaussian.NewMemorySource(nil, c), &file, spz.WriteOptions{Version: 3}); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0},"extensions":%s}]}],
"accessors":[{"componentType":5126,"count":%d,"type":"VEC3","min":[-9,-9,-9],"max":[9,9,9]}],
"bufferViews":[{"buffer":0,"byteLength":%d}],"buffers":[{"byteLength":%[3]d,"uri":"data:;base64,%s"}]}`,
		extensions, c.Len(), file.Len(), base64.StdEncoding.EncodeToString(file.Bytes()))
}

func TestOpen_reads_SPZ_compression(t *testing.T) {
	t.Parallel()
	c := cloud(1, 0) // of one, because SPZ is in another order
	turned := cloud(1, 0)
	turned.Rotate([4]float32{0, 1, 0, 0})
	const spz2 = `"extensions":{"KHR_gaussian_splatting_compression_spz_2":{"bufferView":0}}`
	for name, test := range map[string]struct {
		extensions string
		want       *gaussian.Cloud
	}{
		"of the ratified extension": {`{"KHR_gaussian_splatting":{"kernel":"ellipse",` + spz2 + `}}`, c},
		"of Cesium ion":             {`{"KHR_gaussian_splatting":{` + spz2 + `}}`, turned},
		"of the second draft":       {`{"KHR_gaussian_splatting":{"extensions":{"KHR_gaussian_splatting_compression_spz":{"bufferView":0}}}}`, turned},
		"of the first draft":        {`{"KHR_spz_gaussian_splats_compression":{"bufferView":0}}`, turned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, folder.Memory{"a.gltf": compressedDocument(t, c, test.extensions)}, "a.gltf")
			wantCloud(t, test.want, readAll(t, f), 0.05)
		})
	}
}
