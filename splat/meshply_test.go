package splat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/folder"
)

// A square on a map, as a polygon of four corners and a triangle, with colours.
const meshPLY = `ply
format ascii 1.0
element vertex 4
property double x
property double y
property double z
property uchar red
property uchar green
property uchar blue
element face 2
property list uchar int vertex_indices
property list uchar float texcoord
end_header
500000 5000000 0 255 0 0
500001 5000000 0 0 255 0
500001 5000001 0.5 0 0 255
500000 5000001 0 255 255 255
4 0 1 2 3 2 0.5 0.5
3 0 2 3 0
`

func TestWriteFile_makes_a_glTF_of_the_mesh_of_a_PLY(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mesh.glb")
	write := func(content string) (splat.Facts, error) {
		c := openCapture(t, folder.Memory{"a.ply": []byte(content)}, "a.ply")
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		written, _, err := c.WriteFile(t.Context(), splat.FormatGLB, out, splat.ConvertOptions{})
		return written, err
	}
	written, err := write(meshPLY)
	if err != nil || written.Triangles != 3 || written.Offset == nil || *written.Offset != [3]float64{500_000, 5_000_000, 0} {
		t.Fatalf("got %+v, %v, want three triangles and the offset", written, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := splat.Inspect(t.Context(), folder.Memory{"a.glb": content}, "a.glb")
	if err != nil || facts.Vertices != 4 || facts.Triangles != 3 || facts.Bounds == nil || facts.Bounds.Max != [3]float64{1, 1, 0.5} {
		t.Errorf("the glTF: got %+v, %v, want 4 vertices and 3 triangles from 0 0 0 to 1 1 0.5", facts, err)
	}
	if !strings.Contains(string(content), "COLOR_0") {
		t.Error("the glTF has no colours")
	}
	// The faces of many meshes are turned inwards, or are seen from both sides.
	if _, err := write(strings.NewReplacer("red", "a", "green", "b", "blue", "c").Replace(meshPLY)); err != nil {
		t.Fatal(err)
	}
	if plain, err := os.ReadFile(path); err != nil || !strings.Contains(string(plain), `"doubleSided":true`) {
		t.Errorf("a mesh without colours: got %v, want both sides of its faces", err)
	}
	for name, test := range map[string]struct{ content, want string }{
		"a corner that is not there": {strings.Replace(meshPLY, "4 0 1 2 3", "4 0 1 2 9", 1), "its faces refer to vertices that it does not have"},
		"a negative corner":          {strings.Replace(meshPLY, "4 0 1 2 3", "4 0 -1 2 3", 1), "its faces refer to vertices that it does not have"},
		"no triangles":               {strings.Replace(strings.Replace(meshPLY, "4 0 1 2 3", "2 0 1", 1), "3 0 2 3", "0", 1), "is a mesh without triangles"},
		"no corners":                 {strings.Replace(meshPLY, "int vertex_indices", "int normals", 1), "is a mesh without positions or corners"},
	} {
		if _, err := write(test.content); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}
