package splat_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/voxel"
)

// FuzzCollision writes the collision of any Gaussians that can be read, as voxels and as a mesh.
// The two files of the voxels must belong together, and the mesh must be read again with the
// triangles that were written.
func FuzzCollision(f *testing.F) {
	room := floats(1, 2, 3, 0.1, 0.2, 0.3, 4, -1, -1.5, -2, 1, 0, 0, 0)
	f.Add(bytes.Repeat(room, 5), 0.25)
	f.Add(append(floats(-1, -2, -3, 0, 0, 0, 9, 0, 0, -4, 0.5, 0.5, 0, 0), room...), 0.05)
	f.Add(floats(math.MaxFloat32, 1, 1, 0, 0, 0, 4, 80, 80, 80, 1, 0, 0, 0), 0.1)
	f.Fuzz(func(t *testing.T, values []byte, size float64) {
		if !(size >= 0.05) || size > 1e3 {
			size = 0.25
		}
		source := folder.Memory{"scene.ply": anyPLY(0, values[:min(len(values), 1<<13)])}
		c, err := splat.Open(t.Context(), source, "scene.ply")
		if err != nil {
			wantFileFault(t, err)
			return
		}
		defer c.Close()
		made, o := folder.Memory{}, splat.ConvertOptions{Workers: 1}
		collision := splat.CollisionOptions{Options: voxel.Options{Resolution: size}}
		if _, _, err = c.WriteCollision(t.Context(), made, "made", collision, o); err != nil {
			wantFileFault(t, err)
			return
		}
		var manifest struct{ NodeCount, LeafDataCount int }
		if err := json.Unmarshal(made["made"+splat.CollisionSuffix], &manifest); err != nil {
			t.Fatal(err)
		}
		if got, want := len(made["made"+splat.CollisionBinarySuffix]), 4*(manifest.NodeCount+manifest.LeafDataCount); got != want {
			t.Errorf("got %d bytes of voxels, want %d as the manifest says", got, want)
		}
		var mesh bytes.Buffer
		facts, _, err := c.WriteCollisionMesh(t.Context(), &mesh, collision, o)
		if err != nil {
			wantFileFault(t, err)
			return
		}
		read, err := splat.Inspect(t.Context(), folder.Memory{"made.glb": mesh.Bytes()}, "made.glb")
		if err != nil || read.Triangles != facts.Triangles || read.Vertices != facts.Vertices {
			t.Errorf("got %d triangles of %d vertices, %v, want %d of %d", read.Triangles, read.Vertices, err, facts.Triangles, facts.Vertices)
		}
	})
}

// FuzzMerge merges any two captures of Gaussians, with harmonics of any degrees. The results must
// be read again with the Gaussians of both.
func FuzzMerge(f *testing.F) {
	f.Add(byte(0), byte(3), bytes.Repeat(floats(1, 2, 3, 0.1, 0.2, 0.3, 4, -3, -4, -5, 1, 0, 0, 0), 20))
	f.Add(byte(1), byte(0), bytes.Repeat(floats(-1, 1e9, -1e-9, 0.5), 100))
	f.Fuzz(func(t *testing.T, degree, other byte, values []byte) {
		half := min(len(values), 1<<13) / 2
		source := folder.Memory{"one.ply": anyPLY(int(degree%4), values[:half]), "other.ply": anyPLY(int(other%4), values[half:2*half])}
		var both []*splat.Capture
		for _, name := range []string{"one.ply", "other.ply"} {
			c, err := splat.Open(t.Context(), source, name)
			if err != nil {
				wantFileFault(t, err)
				return
			}
			defer c.Close()
			both = append(both, c)
		}
		want := both[0].Facts.Splats + both[1].Facts.Splats
		merged, err := splat.Merge(both...)
		if err != nil {
			wantFileFault(t, err)
			return
		}
		if merged.Facts.Splats != want {
			t.Errorf("got %d splats, want %d of both", merged.Facts.Splats, want)
		}
		if want == 0 {
			return
		}
		checkWritten(t, merged, splat.FormatPLY, 0)
		checkWritten(t, merged, splat.FormatSPZ, 0)
		streamed := folder.Memory{}
		made, _, err := merged.WriteStreamedSOG(t.Context(), streamed, splat.ConvertOptions{Workers: 1})
		if err != nil {
			wantFileFault(t, err)
			return
		}
		checkRead(t, streamed, splat.StreamedSOGName, made)
	})
}
