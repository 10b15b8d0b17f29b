package voxel_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/voxel"
)

// bytesOf returns the content of a .voxel.bin.
func bytesOf(t testing.TB, c *voxel.Collision) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.WriteBinary(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzBuild makes collisions of any Gaussians that readers let through: finite, with
// scales within limits. Nothing may panic, viewers must be able to read
// the result, and its faces must be watertight.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("a few bytes that become some numbers and so some splats of any size"), 0.1)
	f.Add(bytes.Repeat([]byte{0, 0, 128, 63}, 44), 0.05)
	f.Add(bytes.Repeat([]byte{255, 255, 127, 127}, 22), 0.4)
	f.Fuzz(func(t *testing.T, content []byte, resolution float64) {
		if !(resolution >= 0.05) || resolution > 1e3 {
			resolution = 0.25
		}
		var cloud gaussian.Cloud
		n := min(len(content)/44, 200)
		cloud.Resize(n, 0)
		values := make([]float32, 11*n)
		if err := binary.Read(bytes.NewReader(content), binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			v := values[11*i:]
			copy(cloud.Positions[3*i:3*i+3], v)
			copy(cloud.Rotations[4*i:4*i+4], v[3:])
			copy(cloud.Scales[3*i:3*i+3], v[7:])
			cloud.Opacities[i] = float32(math.Abs(math.Mod(float64(v[10]), 1)))
			cloud.Sanitise(i)
		}
		source := gaussian.NewMemorySource(nil, &cloud)
		c, err := voxel.Build(t.Context(), source, voxel.Options{Resolution: resolution}, voxel.Work{Workers: 1})
		if err != nil {
			return // too large, or nothing to see
		}
		mesh, far := c.Faces(), 0.0
		for k := range 3 {
			far = max(far, math.Abs(c.Bounds.Min[k]), math.Abs(c.Bounds.Max[k]))
		}
		// Far away, 32 bits do not distinguish the corners of voxels.
		if len(mesh.Indices) < 1<<20 && far < 1e5*resolution {
			wantWatertight(t, mesh)
		}
		r := decode(t, c)
		if r.solid(r.GridBounds.Min[0], r.GridBounds.Min[1]-1, r.GridBounds.Min[2]) {
			t.Error("it is solid below the grid")
		}
	})
}
