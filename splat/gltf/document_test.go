package gltf_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"

	"portico/splat/gaussian"
)

// document is a glTF document of Gaussians in the making.
type document struct {
	data                         []byte
	views, accessors, primitives []any
	nodes                        []any
}

// add adds an accessor of values with a component type and returns its index.
func (d *document) add(kind string, component, count int, normalized bool, data []byte) int {
	for len(d.data)%4 != 0 {
		d.data = append(d.data, 0)
	}
	d.views = append(d.views, map[string]any{"buffer": 0, "byteOffset": len(d.data), "byteLength": len(data)})
	d.accessors = append(d.accessors, map[string]any{
		"bufferView": len(d.views) - 1, "componentType": component, "count": count, "type": kind, "normalized": normalized,
	})
	d.data = append(d.data, data...)
	return len(d.accessors) - 1
}

// floats adds an accessor of float32 values.
func (d *document) floats(kind string, width int, values ...float32) int {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return d.add(kind, 5126, len(values)/width, false, b)
}

// json returns the document with its data in a URI.
func (d *document) json(t testing.TB) []byte {
	t.Helper()
	nodes := d.nodes
	if nodes == nil {
		nodes = []any{map[string]any{"mesh": 0}}
	}
	b, err := json.Marshal(map[string]any{
		"asset": map[string]any{"version": "2.0"}, "scene": 0, "scenes": []any{map[string]any{"nodes": []int{0}}}, "nodes": nodes,
		"meshes": []any{map[string]any{"primitives": d.primitives}}, "accessors": d.accessors, "bufferViews": d.views,
		"buffers": []any{map[string]any{
			"byteLength": len(d.data), "uri": "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(d.data),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// one returns a document of one grey Gaussian at 1, 2, 3 in the axes of glTF, with these
// attributes changed. A nil value removes one.
func one(change map[string]func(d *document) int) *document {
	d := &document{}
	const prefix = "KHR_gaussian_splatting:"
	attributes := map[string]any{
		"POSITION": d.floats("VEC3", 3, 1, 2, 3), prefix + "ROTATION": d.floats("VEC4", 4, 0, 0, 0, 1),
		prefix + "SCALE": d.floats("VEC3", 3, 1, 2, 4), prefix + "OPACITY": d.floats("SCALAR", 1, 0.5),
		prefix + "SH_DEGREE_0_COEF_0": d.floats("VEC3", 3, 0, 0, 0),
	}
	for name, add := range change {
		if delete(attributes, name); add != nil {
			attributes[name] = add(d)
		}
	}
	d.primitives = []any{map[string]any{
		"mode": 0, "attributes": attributes, "extensions": map[string]any{"KHR_gaussian_splatting": map[string]any{"kernel": "ellipse"}},
	}}
	return d
}

// grey is what one is read as.
func grey() *gaussian.Cloud {
	return &gaussian.Cloud{
		Positions: []float32{-1, -2, 3}, Rotations: []float32{0, 0, 1, 0}, Opacities: []float32{0.5},
		Scales: []float32{0, float32(math.Log(2)), float32(math.Log(4))}, Colours: []float32{0, 0, 0},
	}
}
