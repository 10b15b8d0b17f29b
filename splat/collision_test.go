package splat_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// captureWithMesh returns a capture with a collision file of one triangle: at 1, 2, 3 with z up,
// and a metre further along x and along y.
func captureWithMesh() folder.Memory {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("coll"), 2)
	b = append(le.AppendUint32(b, 88), make([]byte, 32)...)
	b = append(le.AppendUint32(b, 1), make([]byte, 8)...)
	b = le.AppendUint64(le.AppendUint64(b, 88), 48)
	b = append(le.AppendUint32(le.AppendUint32(b, 3), 1), make([]byte, 8)...)
	for _, v := range []float32{1, 2, 3, 2, 2, 3, 1, 3, 3} {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	files := folder.Memory(scene().Memory())
	files["collision.lci"] = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 0), 1), 2)
	return files
}

func TestWriteCollisionMesh_has_the_mesh_of_the_exporter(t *testing.T) {
	t.Parallel()
	c := openCapture(t, captureWithMesh(), splattest.LCCManifest)
	for _, test := range []struct {
		name    string
		options splat.CollisionOptions
		edits   []splat.Edit
		own     bool
	}{
		{"as it is", splat.CollisionOptions{}, nil, true},
		{"by the faces of voxels", splat.CollisionOptions{Faces: true}, nil, false},
		{"by steps", splat.CollisionOptions{Steps: &splat.CollisionSteps{Resolution: 1, Opacity: 0.1}}, nil, false},
		{"of a capture that was changed", splat.CollisionOptions{}, []splat.Edit{{Name: "scale", Value: "1"}}, false},
	} {
		if err := c.Edit(t.Context(), test.edits); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		test.options.Resolution = 1
		facts, start, err := c.WriteCollisionMesh(t.Context(), &file, test.options, splat.ConvertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if own := facts.Triangles == 1; own != test.own || own == (start != nil) && test.options.Steps == nil {
			t.Errorf("%s: got %d triangles and the start %v", test.name, facts.Triangles, start)
		}
		// x, y, z with z up is -x, z, y in a viewer.
		want := splat.Bounds{Min: [3]float64{-2, 3, 2}, Max: [3]float64{-1, 3, 3}}
		if test.own && *facts.Bounds != want {
			t.Errorf("%s: got %v, want %v", test.name, facts.Bounds, want)
		}
		read, err := splat.Inspect(t.Context(), folder.Memory{"x.glb": file.Bytes()}, "x.glb")
		if err != nil || read.Triangles != facts.Triangles || read.Vertices != facts.Vertices || *read.Bounds != *facts.Bounds {
			t.Errorf("%s: got %+v, %v when it is read, want %+v", test.name, read, err, facts)
		}
	}
}

func TestWriteCollisionMesh_has_the_faces_of_voxels_if_the_exporter_has_no_triangles(t *testing.T) {
	t.Parallel()
	files := folder.Memory(scene().Memory())
	files["collision.lci"] = append([]byte("coll\x02\x00\x00\x00"), make([]byte, 40)...) // no meshes
	options := splat.CollisionOptions{}
	options.Resolution = 1
	var file bytes.Buffer
	facts, _, err := openCapture(t, files, splattest.LCCManifest).WriteCollisionMesh(t.Context(), &file, options, splat.ConvertOptions{})
	if err != nil || facts.Triangles == 0 {
		t.Errorf("got %d triangles, %v, want the faces of the voxels", facts.Triangles, err)
	}
}

func TestWriteCollisionMesh_refuses_captures_without_splats(t *testing.T) {
	t.Parallel()
	c := openCapture(t, folder.Memory{"x.txt": []byte("x")}, "x.txt")
	if _, _, err := c.WriteCollisionMesh(t.Context(), &bytes.Buffer{}, splat.CollisionOptions{}, splat.ConvertOptions{}); err == nil {
		t.Error("got no error")
	}
}
