package splat_test

import (
	"bytes"
	"encoding/binary"
	"image"
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

// roomRows returns the rows of a PLY with a closed room of 6 x 5 x 2.6 m and a table in it, y down.
func roomRows() (rows [][]float32) {
	add := func(x, y, z float32, normal int) {
		row := []float32{x, y, z, (x + 3) / 3, (y + 2.6) / 2, z / 3, 3, -2.7, -2.7, -2.7, 1, 0, 0, 0}
		row[7+normal] = -5
		rows = append(rows, row)
	}
	for x := float32(-3); x <= 3; x += 0.1 {
		for z := float32(-2.5); z <= 2.5; z += 0.1 {
			add(x, 0, z, 1)
			add(x, -2.6, z, 1)
			if x > 0.5 && x < 2 && z > 0.5 && z < 1.5 {
				add(x, -0.75, z, 1)
			}
		}
		for y := float32(-2.6); y <= 0; y += 0.1 {
			add(x, y, -2.5, 2)
			add(x, y, 2.5, 2)
		}
	}
	for z := float32(-2.5); z <= 2.5; z += 0.1 {
		for y := float32(-2.6); y <= 0; y += 0.1 {
			add(-3, y, z, 0)
			add(3, y, z, 0)
		}
	}
	return rows
}

// A room in millimetres has the start and the poster of the same room in metres.
func TestWriteCollision_frames_captures_in_any_unit(t *testing.T) {
	t.Parallel()
	vase := [][]float32{}
	for i := range 1500 {
		s, c := math.Sincos(float64(i) * 2.4)
		vase = append(vase, []float32{4 + float32(0.2*c), -float32(i) / 1500, 7 + float32(0.2*s), 1, 0, 0, 3, -3.9, -3.9, -3.9, 1, 0, 0, 0})
	}
	for name, rows := range map[string][][]float32{"room": roomRows(), "vase": vase} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want splat.Start
			var poster image.Image
			for _, units := range []string{"1", "100", "1000", "0.001"} {
				c := openCapture(t, folder.Memory{"a.ply": plyOfRows(rows)}, "a.ply")
				if err := c.Edit(t.Context(), []splat.Edit{{Name: "scale", Value: units}}); err != nil {
					t.Fatal(err)
				}
				_, start, err := c.WriteCollision(t.Context(), folder.Memory{}, "a", splat.CollisionOptions{}, splat.ConvertOptions{})
				if err != nil {
					t.Fatal(err)
				}
				drawn, err := c.Pictures(t.Context(), &splat.Viewpoint{Position: start.Position, Target: start.Target, Up: start.Up}, image.Pt(160, 100))
				if err != nil {
					t.Fatal(err)
				}
				if units == "1" {
					want, poster = *start, drawn[0]
					continue
				}
				if start.Scene != want.Scene || start.Up != want.Up || !start.DoubtfulScale || want.DoubtfulScale {
					t.Errorf("%s units to a metre: got %+v, want %+v and a doubt", units, *start, want)
				}
				if different := differentPixels(drawn[0], poster); different > 100 {
					t.Errorf("%s units to a metre: got another poster in %d of 16000 pixels", units, different)
				}
			}
		})
	}
}

// differentPixels returns how many pixels of two pictures of one size differ clearly.
func differentPixels(one, other image.Image) (n int) {
	for y := range one.Bounds().Dy() {
		for x := range one.Bounds().Dx() {
			r, g, b, _ := one.At(x, y).RGBA()
			s, h, c, _ := other.At(x, y).RGBA()
			if max(r, s)-min(r, s)+max(g, h)-min(g, h)+max(b, c)-min(b, c) > 16<<8 {
				n++
			}
		}
	}
	return n
}
