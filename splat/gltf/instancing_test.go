package gltf_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"portico/splat/folder"
)

// floatData returns the bytes of values in a buffer.
func floatData(values ...float32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return string(b)
}

// instanced is the triangle with instances of the attributes, whose data follows the data of the
// triangle.
func instanced(t *testing.T, attributes string, values string) (document, binary string) {
	t.Helper()
	document = changedTriangle(t, `"nodes":[{"mesh":0}]`, `"extensionsUsed":["EXT_mesh_gpu_instancing"],`+
		`"nodes":[{"mesh":0,"translation":[100,0,0],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{`+attributes+`}}}}]`)
	n := len(values)
	document = strings.Replace(document, `"count":3,"type":"SCALAR"}]`, `"count":3,"type":"SCALAR"},`+
		`{"bufferView":2,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":2,"componentType":5126,"byteOffset":36,"count":2,"type":"VEC3"}]`, 1)
	document = strings.Replace(document, `"byteLength":6}]`, fmt.Sprintf(`"byteLength":6},{"buffer":0,"byteOffset":44,"byteLength":%d}]`, n), 1)
	return strings.Replace(document, `{"byteLength":44}`, fmt.Sprintf(`{"byteLength":%d}`, 44+n), 1), data + values
}

func TestInspect_counts_instances(t *testing.T) {
	t.Parallel()
	values := floatData(0, 0, 0, 10, 0, 0, 20, 0, 5) + floatData(1, 1, 1, 2, 2, 2)
	document, binary := instanced(t, `"TRANSLATION":2`, values)
	facts, err := inspect(t, document, binary)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Instances != 3 || facts.Meshes != 1 || facts.Triangles != 1 {
		t.Errorf("got %d instances, %d meshes and %d triangles, want 3, 1 and 1", facts.Instances, facts.Meshes, facts.Triangles)
	}
	// The triangle is from 0, 0, -1 to 1, 2, 0.
	if b := facts.Bounds; b == nil || b.Min != [3]float64{100, 0, -1} || b.Max != [3]float64{121, 2, 5} {
		t.Errorf("got the bounds %v, want 100 0 -1 to 121 2 5", b)
	}
	plain, err := inspect(t, triangle, data)
	if err != nil || plain.Instances != 0 {
		t.Errorf("without the extension: got %d instances, %v, want 0", plain.Instances, err)
	}
}

func TestInspect_refuses_instances_that_contradict_each_other(t *testing.T) {
	t.Parallel()
	values := floatData(make([]float32, 15)...)
	for attributes, reason := range map[string]string{
		`"TRANSLATION":7`:           "node 0 refers to accessor 7 for instances, but there are 4",
		`"TRANSLATION":2,"SCALE":3`: "node 0 has 3 instances, and another attribute for 2",
		`"ROTATION":-1`:             "node 0 refers to accessor -1 for instances",
	} {
		document, binary := instanced(t, attributes, values)
		_, err := inspect(t, document, binary)
		wantInputError(t, err, "scene.glb", reason)
	}
	// An attribute of another type hides the size, but not the model.
	document, binary := instanced(t, `"ROTATION":2`, values)
	if facts, err := inspect(t, document, binary); err != nil || facts.Bounds != nil || facts.Instances != 3 {
		t.Errorf("rotations of three components: got %+v, %v, want no bounds", facts, err)
	}
}

func TestOpen_converts_linear_colours(t *testing.T) {
	t.Parallel()
	c := cloud(50, 2)
	content := write(t, c)
	linear := strings.Replace(string(content), `"srgb_rec709_display"`, `"lin_rec709_display" `, 1)
	want, got := readAll(t, open(t, folder.Memory{"a.glb": content}, "a.glb")), readAll(t, open(t, folder.Memory{"a.glb": []byte(linear)}, "a.glb"))
	const c0 = 0.28209479177387814
	encoded := func(v float64) float64 {
		if v <= 0.0031308 {
			return 12.92 * v
		}
		return 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	n := len(want.Harmonics) / len(want.Colours)
	for i, v := range want.Colours {
		light := 0.5 + c0*float64(v)
		if colour := 0.5 + c0*float64(got.Colours[i]); math.Abs(colour-encoded(light)) > 1e-5 {
			t.Errorf("light %g: got the colour %g, want %g", light, colour, encoded(light))
		}
		// A direction in which the light differs by little.
		const little = 1e-4
		slope := (encoded(light+little) - encoded(light)) / little
		for k := range n {
			if h := float64(got.Harmonics[n*i+k]); math.Abs(h-slope*float64(want.Harmonics[n*i+k])) > 0.01*math.Abs(h)+1e-6 {
				t.Fatalf("harmonic %d of channel %d: got %g, want %g", k, i, h, slope*float64(want.Harmonics[n*i+k]))
			}
		}
	}
	for i, v := range want.Positions {
		if got.Positions[i] != v {
			t.Fatalf("position %d: got %g, want %g", i, got.Positions[i], v)
		}
	}
}

func TestOpen_keeps_the_precision_of_Gaussians_on_a_map(t *testing.T) {
	t.Parallel()
	d := one(nil)
	d.nodes = []any{map[string]any{"mesh": 0, "translation": []float64{691_234.25, 515, -5_336_123.5}}}
	f := open(t, folder.Memory{"a.gltf": d.json(t)}, "a.gltf")
	if want := [3]float64{691_000, 0, -5_336_000}; f.Offset != want {
		t.Errorf("got the offset %v, want %v", f.Offset, want)
	}
	// x and y are turned, and the Gaussian is at 1, 2, 3 of its node.
	got, want := readAll(t, f).Positions, []float32{-235.25, -517, -120.5}
	for k := range want {
		if math.Abs(float64(got[k]-want[k])) > 1e-4 {
			t.Errorf("got the position %v, want %v", got, want)
		}
	}
}
