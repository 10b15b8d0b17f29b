package voxel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"portico/splat/voxel"
)

// corner is a vertex by its coordinates.
type corner [3]float32

// corners returns the three vertices of each triangle.
func corners(m voxel.Mesh) (all [][3]corner) {
	for i := 0; i < len(m.Indices); i += 3 {
		var t [3]corner
		for k := range t {
			t[k] = corner(m.Positions[3*m.Indices[i+k]:])
		}
		all = append(all, t)
	}
	return all
}

// wantWatertight checks that each edge has as many triangles on one side as on the other,
// and that no triangle is without an area. It returns the volume inside.
func wantWatertight(t *testing.T, m voxel.Mesh) (volume float64) {
	t.Helper()
	edges, open := map[[2]corner]int{}, 0
	for _, c := range corners(m) {
		for k := range c {
			edges[[2]corner{c[k], c[(k+1)%3]}]++
		}
		var a, b [3]float64
		for k := range 3 {
			a[k], b[k] = float64(c[1][k])-float64(c[0][k]), float64(c[2][k])-float64(c[0][k])
		}
		normal := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
		if math.Abs(normal[0])+math.Abs(normal[1])+math.Abs(normal[2]) < 1e-6 {
			t.Fatalf("triangle %v has no area", c)
		}
		for k := range 3 {
			volume += float64(c[0][k]) * normal[k] / 6
		}
	}
	for e, n := range edges {
		if edges[[2]corner{e[1], e[0]}] != n {
			open++
		}
	}
	if open > 0 {
		t.Errorf("%d of %d edges are open", open, len(edges))
	}
	return volume
}

func solidVolume(r *tree) float64 {
	n, v := 0, r.VoxelResolution
	low, high := r.GridBounds.Min, r.GridBounds.Max
	for x := low[0] + v/2; x < high[0]; x += v {
		for y := low[1] + v/2; y < high[1]; y += v {
			for z := low[2] + v/2; z < high[2]; z += v {
				if r.solid(x, y, z) {
					n++
				}
			}
		}
	}
	return float64(n) * v * v * v
}

func TestFaces_are_watertight_and_hold_the_voxels(t *testing.T) {
	t.Parallel()
	scattered := &scene{}
	scattered.scatter(rand.New(rand.NewPCG(3, 4)), 300, [3]float64{-1, -1, -1}, [3]float64{3, 1, 1})
	for name, made := range map[string]*voxel.Collision{
		"scattered splats": build(t, scattered, voxel.Options{Scene: voxel.SceneObject, Resolution: 0.1}),
		"a garden":         build(t, garden(), voxel.Options{}),
		"a room":           build(t, house(), voxel.Options{}),
	} {
		mesh := made.Faces()
		got, want := wantWatertight(t, mesh), solidVolume(decode(t, made))
		if want == 0 || math.Abs(got-want) > 1e-3*want {
			t.Errorf("%s: got a volume of %v, want %v", name, got, want)
		}
	}
}

// A plane of voxels is a box, which has 12 triangles.
func TestFaces_merges_flat_surfaces(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.addSlab([3]float64{0, 0, 0}, [3]float64{3, 0.5, 2}, 0.05)
	made := build(t, s, voxel.Options{Scene: voxel.SceneObject})
	if mesh := made.Faces(); len(mesh.Positions) != 3*8 || len(mesh.Indices) != 3*12 {
		t.Errorf("got %d vertices and %d triangles, want 8 and 12", len(mesh.Positions)/3, len(mesh.Indices)/3)
	}
}

func TestFaces_of_an_empty_grid(t *testing.T) {
	t.Parallel()
	s := &scene{}
	s.add([3]float64{}, [3]float64{1, 1, 1}, nil, 0)
	c, err := voxel.Voxelise(t.Context(), s.source(), voxel.Steps{Resolution: 0.1, Opacity: 0.1}, voxel.Work{})
	if err != nil {
		t.Fatal(err)
	}
	if mesh := c.Faces(); len(mesh.Indices) != 0 {
		t.Errorf("got %d indices, want none", len(mesh.Indices))
	}
}
