package gltf_test

import (
	"slices"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// sparseAccessor adds an accessor whose values are replaced. Without a base, they are zeros before.
func sparseAccessor(d *document, base int, kind string, indexType int, indices, values []byte) int {
	count := 1
	if base >= 0 {
		count = d.accessors[base].(map[string]any)["count"].(int)
	}
	first := d.add("SCALAR", indexType, len(indices)/map[int]int{5121: 1, 5123: 2, 5125: 4}[indexType], false, indices)
	second := d.add(kind, 5126, 1, false, values)
	accessor := map[string]any{"componentType": 5126, "count": count, "type": kind}
	if base >= 0 {
		accessor["bufferView"] = base
	}
	accessor["sparse"] = map[string]any{
		"count":   len(values) / map[string]int{"VEC3": 12, "SCALAR": 4}[kind],
		"indices": map[string]any{"bufferView": first, "componentType": indexType}, "values": map[string]any{"bufferView": second},
	}
	d.accessors = append(d.accessors, accessor)
	d.views = append(d.views, map[string]any{"buffer": 0, "byteLength": 0}) // as many views as accessors
	return len(d.accessors) - 1
}

// Bytes of float32 values.
var (
	scale124 = []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x80, 0x40}
	half     = []byte{0, 0, 0, 0x3f}
)

func TestOpen_reads_sparse_accessors(t *testing.T) {
	t.Parallel()
	const prefix = "KHR_gaussian_splatting:"
	for name, change := range map[string]map[string]func(d *document) int{
		"in place of values": {prefix + "SCALE": func(d *document) int {
			return sparseAccessor(d, d.floats("VEC3", 3, 9, 9, 9), "VEC3", 5121, []byte{0}, scale124)
		}},
		"in place of zeros": {prefix + "OPACITY": func(d *document) int { return sparseAccessor(d, -1, "SCALAR", 5123, []byte{0, 0}, half) }},
		"with wide indices": {prefix + "OPACITY": func(d *document) int { return sparseAccessor(d, -1, "SCALAR", 5125, []byte{0, 0, 0, 0}, half) }},
		"without data": {prefix + "SH_DEGREE_0_COEF_0": func(d *document) int {
			at := d.floats("VEC3", 3, 7, 7, 7)
			delete(d.accessors[at].(map[string]any), "bufferView")
			return at
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantCloud(t, grey(), readAll(t, open(t, folder.Memory{"a.gltf": one(change).json(t)}, "a.gltf")), 1e-6)
		})
	}
}

// five returns a document of five Gaussians with these opacities.
func five(opacities func(d *document) int) *document {
	d := &document{}
	const prefix = "KHR_gaussian_splatting:"
	repeat := func(v ...float32) []float32 { return slices.Repeat(v, 5) }
	d.primitives = append(d.primitives, map[string]any{
		"mode": 0, "extensions": map[string]any{"KHR_gaussian_splatting": map[string]any{"kernel": "ellipse"}},
		"attributes": map[string]any{
			"POSITION": d.floats("VEC3", 3, repeat(1, 2, 3)...), prefix + "ROTATION": d.floats("VEC4", 4, repeat(0, 0, 0, 1)...),
			prefix + "SCALE": d.floats("VEC3", 3, repeat(1, 1, 1)...), prefix + "SH_DEGREE_0_COEF_0": d.floats("VEC3", 3, repeat(0, 0, 0)...),
			prefix + "OPACITY": opacities(d),
		},
	})
	return d
}

// replaceTwo returns five opacities of which two are replaced by a half.
func replaceTwo(indices ...byte) func(d *document) int {
	return func(d *document) int {
		base := d.floats("SCALAR", 1, 0.25, 0.25, 0.25, 0.25, 0.25)
		return sparseAccessor(d, base, "SCALAR", 5121, indices, slices.Repeat(half, 2))
	}
}

func TestRead_finds_replaced_values_by_number(t *testing.T) {
	t.Parallel()
	f := open(t, folder.Memory{"a.gltf": five(replaceTwo(1, 3)).json(t)}, "a.gltf")
	for i, want := range []float32{0.25, 0.5, 0.25, 0.5, 0.25} {
		if got := readAll(t, f).Opacities[i]; got != want {
			t.Errorf("opacity of %d: got %v, want %v", i, got, want)
		}
	}
	var c gaussian.Cloud
	if err := f.Read(t.Context(), 0, []uint32{3, 0, 1, 3}, &c); err != nil {
		t.Fatal(err)
	}
	if want := []float32{0.5, 0.25, 0.5, 0.5}; !slices.Equal(c.Opacities, want) {
		t.Errorf("opacities: got %v, want %v", c.Opacities, want)
	}
}

func TestOpen_refuses_sparse_indices_that_are_wrong(t *testing.T) {
	t.Parallel()
	for name, indices := range map[string][]byte{"out of range": {1, 5}, "out of order": {2, 1}, "twice": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t, folder.Memory{"a.gltf": five(replaceTwo(indices...)).json(t)}, "a.gltf")
			wantInputError(t, f.Fault, "a.gltf", "is out of range or out of order")
		})
	}
}
