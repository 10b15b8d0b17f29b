package gltf_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/gltf"
)

func cloud(n, degree int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	c := &gaussian.Cloud{}
	c.Resize(n, degree)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Harmonics} {
		for i := range values {
			values[i] = float32(r.NormFloat64()) / 4
		}
	}
	for i := range n {
		c.Opacities[i] = r.Float32()
		c.Sanitise(i)
	}
	return c
}

func write(t testing.TB, c *gaussian.Cloud) []byte {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "a.glb"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gltf.Write(t.Context(), gaussian.NewMemorySource(nil, c), out, nil); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// open opens a glTF file that must be valid.
func open(t testing.TB, files folder.Memory, name string) *gltf.File {
	t.Helper()
	f, err := gltf.Open(t.Context(), files, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// readAll reads all Gaussians, and checks that Positions agrees with Read.
func readAll(t testing.TB, f *gltf.File) *gaussian.Cloud {
	t.Helper()
	if f.Fault != nil {
		t.Fatal(f.Fault)
	}
	n := f.Levels()[0]
	numbers := make([]uint32, n)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	c, p := &gaussian.Cloud{}, make([]float32, 3*n)
	if err := errors.Join(f.Read(t.Context(), 0, numbers, c), f.Positions(t.Context(), 0, p, nil)); err != nil {
		t.Fatal(err)
	}
	for i, v := range p {
		if !gaussian.IsLeftOut(p[i/3*3:]) && math.Abs(float64(v-c.Positions[i])) > 1e-6 {
			t.Fatalf("position %d: got %v from Positions, %v from Read", i, v, c.Positions[i])
		}
	}
	return c
}

// wantCloud compares clouds. A quaternion and its negative are the same rotation.
func wantCloud(t *testing.T, want, got *gaussian.Cloud, tolerance float64) {
	t.Helper()
	for i := range min(want.Len(), got.Len()) {
		dot := float32(0)
		for k := range 4 {
			dot += want.Rotations[4*i+k] * got.Rotations[4*i+k]
		}
		for k := range 4 {
			got.Rotations[4*i+k] *= float32(math.Copysign(1, float64(dot)))
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, tolerance), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("Gaussians (-want +got): %.3000s", d)
	}
}

func TestWrite_is_read_back(t *testing.T) {
	t.Parallel()
	for degree := range 4 {
		c := cloud(300, degree)
		f := open(t, folder.Memory{"a.glb": write(t, c)}, "a.glb")
		if f.Degree() != degree || f.Facts.Splats != 300 || !f.Facts.Uses("KHR_gaussian_splatting") || f.Facts.Bounds == nil {
			t.Errorf("got degree %d and %+v, want degree %d, 300 splats and bounds", f.Degree(), f.Facts, degree)
		}
		wantCloud(t, c, readAll(t, f), 1e-5)
	}
}

func TestWrite_has_y_up(t *testing.T) {
	t.Parallel()
	c := cloud(1, 0)
	copy(c.Positions, []float32{1, 2, 3})
	f := open(t, folder.Memory{"a.glb": write(t, c)}, "a.glb")
	if want := [3]float64{-1, -2, 3}; f.Facts.Bounds.Min != want {
		t.Errorf("position: got %v, want %v", f.Facts.Bounds.Min, want)
	}
}
