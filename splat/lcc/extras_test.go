package lcc_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/input"
	"portico/splat/lcc"
	"portico/splat/splattest"
)

// captureWith returns a small capture with an additional file.
func captureWith(name string, content []byte) folder.Memory {
	files := folder.Memory(splattest.LCCCapture{Splats: 10}.Memory())
	files[name] = content
	return files
}

// What a PortalCam's exporter writes, without its names.
const attributes = `{"version":"1.0.1","name":"a","guid":"b",
"spawnPoint":{"position":[1,2,1.6],"rotation":[0.707,0,0,0.707]},
"transform":{"position":[0,0,0],"rotation":[0,0,0,1],"scale":[1,1,1]},
"poses":{"path":"assets/poses.json"},"collider":{"simpleMesh":{"type":"ply","path":"collision.lci"}},}`

func TestFacts_have_the_start_of_the_exporter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		want    *lcc.Start
	}{
		"level, along y":      {attributes, &lcc.Start{Position: [3]float64{1, 2, 1.6}, Target: [3]float64{1, 3, 1.6}}},
		"level, along x":      {`{"spawnPoint":{"position":[0,0,0],"rotation":[0.5,-0.5,-0.5,0.5]}}`, &lcc.Start{Target: [3]float64{1, 0, 0}}},
		"down":                {`{"spawnPoint":{"position":[0,0,0],"rotation":[0,0,0,1]}}`, &lcc.Start{Target: [3]float64{0, 0, -1}}},
		"without a rotation":  {`{"spawnPoint":{"position":[0,0,1]}}`, &lcc.Start{Position: [3]float64{0, 0, 1}, Target: [3]float64{0, 1, 1}}},
		"a rotation of zero":  {`{"spawnPoint":{"position":[0,0,1],"rotation":[0,0,0,0]}}`, &lcc.Start{Position: [3]float64{0, 0, 1}, Target: [3]float64{0, 1, 1}}},
		"without a position":  {`{"spawnPoint":{"rotation":[0,0,0,1]}}`, nil},
		"two numbers":         {`{"spawnPoint":{"position":[0,0]}}`, nil},
		"a position far away": {`{"spawnPoint":{"position":[0,0,1e300]}}`, nil},
		"no start":            {`{}`, nil},
		"invalid JSON":        {"attrs", nil},
		"too much":            {attributes + strings.Repeat(" ", 1<<20), nil},
	} {
		got := open(t, captureWith("attrs.lcp", []byte(test.content))).Facts().Start
		if (got == nil) != (test.want == nil) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
			continue
		}
		for k := range 3 {
			if got != nil && (math.Abs(got.Position[k]-test.want.Position[k]) > 1e-9 || math.Abs(got.Target[k]-test.want.Target[k]) > 1e-3) {
				t.Errorf("%s: got %v, want %v", name, got, test.want)
			}
		}
	}
}

// mesh is a mesh of a collision file, with its header's numbers.
type mesh struct {
	vertices, faces, tree uint32
	offset, size          uint64
}

func collision(size int, meshes ...mesh) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("coll"), 2)
	b = le.AppendUint32(b, uint32(48+40*len(meshes)))
	b = append(b, make([]byte, 32)...)
	b = le.AppendUint32(b, uint32(len(meshes)))
	for _, m := range meshes {
		b = append(b, make([]byte, 8)...)
		b = le.AppendUint64(le.AppendUint64(b, m.offset), m.size)
		b = le.AppendUint32(le.AppendUint32(b, m.vertices), m.faces)
		b = le.AppendUint32(le.AppendUint32(b, m.tree), 0)
	}
	return append(b, make([]byte, size-len(b))...)
}

func TestFacts_count_the_collision_meshes(t *testing.T) {
	t.Parallel()
	// 48 + 2*40 bytes of headers, then meshes of 3 and 4 vertices.
	first, second := mesh{3, 1, 16, 128, 64}, mesh{4, 2, 0, 192, 72}
	facts := open(t, captureWith("collision.lci", collision(264, second, first))).Facts()
	if got, want := facts.Collision, (lcc.Collision{Meshes: 2, Vertices: 7, Triangles: 3}); got == nil || *got != want || facts.CollisionFault != nil {
		t.Errorf("got %v, %v, want %v", got, facts.CollisionFault, want)
	}
	if facts := open(t, captureWith("Collision.lci", collision(264, first, second))).Facts(); facts.Collision == nil {
		t.Errorf("a name with a capital: got %v, want the meshes", facts.CollisionFault)
	}
	for name, content := range map[string][]byte{
		"no meshes": collision(48), "a mesh without triangles": collision(124, mesh{3, 0, 0, 88, 36}),
	} {
		if facts := open(t, captureWith("collision.lci", content)).Facts(); facts.Collision != nil || facts.CollisionFault != nil {
			t.Errorf("%s: got %v, %v, want nothing", name, facts.Collision, facts.CollisionFault)
		}
	}
	if facts := open(t, captureWith("x", nil)).Facts(); facts.Collision != nil || facts.CollisionFault != nil || facts.Start != nil {
		t.Errorf("without the files: got %+v, want nothing", facts)
	}
}

// triangle is a mesh of three vertices and one triangle, in 48 bytes.
func triangle(at float32, last uint32) []byte {
	le := binary.LittleEndian
	var b []byte
	for _, v := range []float32{at, 0, 0, at, 1, 0, at, 0, 1} {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	return le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 0), 1), last)
}

func TestCollisionMesh_joins_the_meshes_of_all_cells(t *testing.T) {
	t.Parallel()
	file := func(first, second []byte) folder.Memory {
		content := collision(128, mesh{3, 1, 0, 176, 48}, mesh{3, 1, 0, 128, 48})
		return captureWith("collision.lci", append(append(content, first...), second...))
	}
	files := file(triangle(8, 2), triangle(5, 2))
	positions, indices, err := open(t, files).CollisionMesh(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{5, 0, 0, 5, 1, 0, 5, 0, 1, 8, 0, 0, 8, 1, 0, 8, 0, 1}; !slices.Equal(positions, want) {
		t.Errorf("positions: got %v, want %v", positions, want)
	}
	if want := []uint32{0, 1, 2, 3, 4, 5}; !slices.Equal(indices, want) {
		t.Errorf("indices: got %v, want %v", indices, want)
	}
	for reason, files := range map[string]folder.Memory{
		"vertex 3 of 3":          file(triangle(1, 2), triangle(1, 3)),
		"has no finite position": file(triangle(float32(math.NaN()), 2), triangle(1, 2)),
	} {
		_, _, err := open(t, files).CollisionMesh(t.Context(), files)
		if _, ok := errors.AsType[*input.Error](err); !ok || !strings.Contains(err.Error(), reason) {
			t.Errorf("got %v, want %q", err, reason)
		}
	}
	if positions, _, err := open(t, captureWith("x", nil)).CollisionMesh(t.Context(), files); positions != nil || err != nil {
		t.Errorf("without the file: got %v, %v, want nothing", positions, err)
	}
}

// A capture is shown without its collision if that is damaged.
func TestFacts_have_the_fault_of_a_collision_file(t *testing.T) {
	t.Parallel()
	changed := func(at int, value uint32) []byte {
		b := collision(264, mesh{3, 1, 16, 128, 64}, mesh{4, 2, 0, 192, 72})
		binary.LittleEndian.PutUint32(b[at:], value)
		return b
	}
	for name, test := range map[string]struct {
		content []byte
		reason  string
	}{
		"nothing":                     {nil, "it ends within its header"},
		"another file":                {changed(0, 1), "does not start like"},
		"version 3":                   {changed(4, 3), "is of version 3"},
		"more meshes than bytes":      {changed(44, 1<<20), "claims 1048576 meshes"},
		"more meshes than allowed":    {changed(44, math.MaxUint32), "claims 4294967295 meshes"},
		"more vertices than bytes":    {changed(48+24, math.MaxUint32), "claims 4294967295 vertices"},
		"more faces than bytes":       {changed(48+28, math.MaxUint32), "and 4294967295 triangles"},
		"a mesh after the end":        {changed(48+8, 300), "ends after the file"},
		"a mesh far after the end":    {changed(48+12, math.MaxUint32), "ends after the file"},
		"a size beyond all bounds":    {changed(48+20, math.MaxUint32), "ends after the file"},
		"meshes that overlap":         {changed(88+8, 130), "overlap"},
		"a mesh in the headers":       {changed(48+8, 100), "overlap"},
		"a file that ends in a mesh":  {changed(0, 0x6c6c6f63)[:250], "ends after the file"},
		"a file that ends in headers": {changed(0, 0x6c6c6f63)[:100], "claims 2 meshes"},
	} {
		facts := open(t, captureWith("collision.lci", test.content)).Facts()
		if facts.Collision != nil || facts.CollisionFault == nil || !strings.Contains(facts.CollisionFault.Error(), test.reason) {
			t.Errorf("%s: got %v, %v, want %q", name, facts.Collision, facts.CollisionFault, test.reason)
		}
	}
}

// FuzzExtras opens a capture with any files beside it. They are never a reason to refuse
// it, and what is counted is within the file. Its meshes can be read, or are damaged.
func FuzzExtras(f *testing.F) {
	f.Add([]byte(attributes), collision(264, mesh{3, 1, 16, 128, 64}, mesh{4, 2, 0, 192, 72}))
	f.Add([]byte(`{}`), append(collision(88, mesh{3, 1, 0, 88, 48}), triangle(1, 2)...))
	f.Add([]byte(`{"spawnPoint":{"position":[0,0,1],"rotation":[0,0,0,0]}}`), collision(48))
	f.Fuzz(func(t *testing.T, attributes, collision []byte) {
		files := captureWith("attrs.lcp", attributes)
		files["collision.lci"] = collision
		capture := open(t, files)
		facts := capture.Facts()
		positions, indices, err := capture.CollisionMesh(t.Context(), files)
		if _, ok := errors.AsType[*input.Error](err); err != nil && !ok {
			t.Errorf("read the meshes: %v", err)
		}
		for _, i := range indices {
			if int(i) >= len(positions)/3 {
				t.Errorf("got index %d of %d vertices", i, len(positions)/3)
			}
		}
		if c := facts.Collision; c != nil && 12*(c.Vertices+c.Triangles)+int64(40*c.Meshes) > int64(len(collision)) {
			t.Errorf("got %+v in %d bytes", c, len(collision))
		}
		if s := facts.Start; s != nil {
			for k := range 3 {
				if d := s.Target[k] - s.Position[k]; !(d >= -1.001 && d <= 1.001) && math.Abs(s.Position[k]) < 1e6 {
					t.Errorf("got %+v, want a target a metre ahead", s)
				}
			}
		}
	})
}
