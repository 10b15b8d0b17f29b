package spz_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/gzip"

	"portico/splat/gaussian"
	"portico/splat/spz"
)

func TestRead_accepts_any_numbers_concurrently(t *testing.T) {
	t.Parallel()
	want := randomCloud(100, 1)
	for _, version := range []uint32{3, 4} {
		f := open(t, newDocument(version, want).bytes())
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				c := &gaussian.Cloud{}
				if err := f.Read(t.Context(), 0, []uint32{99, 0, 99}, c); err != nil {
					t.Error(err)
					return
				}
				near(t, "positions", c.Positions, slices.Concat(want.Positions[297:], want.Positions[:3], want.Positions[297:]), 0.5/4096)
			})
		}
		readers.Wait()
		if err := f.Read(t.Context(), 0, []uint32{100}, &gaussian.Cloud{}); err == nil {
			t.Error("a number out of range: got no error")
		}
		c := randomCloud(1, 1)
		if err := f.Environment(t.Context(), c); err != nil || c.Len() != 0 {
			t.Errorf("environment: got %d Gaussians, %v, want none", c.Len(), err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func TestPositions_and_Bounds_cover_the_centres(t *testing.T) {
	t.Parallel()
	const n = 70_000 // more than one step of progress
	c := &gaussian.Cloud{}
	c.Resize(n, 0)
	for i := range n {
		c.Positions[3*i], c.Positions[3*i+1], c.Positions[3*i+2] = float32(i%1000)/8, 2, -float32(i%500)/16
		c.Rotations[4*i+3] = 1
	}
	f := open(t, newDocument(4, c).bytes())
	p := make([]float32, 3*n)
	var done []int
	if err := f.Positions(t.Context(), 0, p, func(d int) { done = append(done, d) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p, c.Positions) {
		t.Error("positions: got other positions than the file has")
	}
	if want := []int{0, 65536, n}; !slices.Equal(done, want) {
		t.Errorf("progress: got %v, want %v", done, want)
	}
	// In the axes of the file, y is up and z points back.
	want := &gaussian.Bounds{Min: [3]float64{0, -2, 0}, Max: [3]float64{999.0 / 8, -2, 499.0 / 16}}
	got, err := f.Bounds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("bounds (-want +got): %s", d)
	}
}

// Versions before 4 are also read without their gzip compression.
func TestRead_accepts_a_file_without_compression(t *testing.T) {
	t.Parallel()
	for version := uint32(1); version <= 3; version++ {
		packed := newDocument(version, randomCloud(50, 2)).bytes()
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		want, got := &gaussian.Cloud{}, &gaussian.Cloud{}
		if err := open(t, packed).Read(t.Context(), 0, all(50), want); err != nil {
			t.Fatal(err)
		}
		if err := open(t, raw).Read(t.Context(), 0, all(50), got); err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("version %d (-compressed +raw): %s", version, d)
		}
		wantInputError(t, open(t, raw[:len(raw)-1]).Read(t.Context(), 0, all(50), got), "it ends within its Gaussians")
	}
}

func TestRead_hides_Gaussians_without_a_position(t *testing.T) {
	t.Parallel()
	c := randomCloud(1001, 0)
	c.Positions[4] = float32(math.Inf(1))
	f := open(t, newDocument(1, c).bytes())
	got := &gaussian.Cloud{}
	if err := f.Read(t.Context(), 0, []uint32{1, 2}, got); err != nil {
		t.Fatal(err)
	}
	if got.Opacities[0] != 0 || got.Opacities[1] == 0 || !slices.Equal(got.Positions[:3], []float32{0, 0, 0}) {
		t.Errorf("got opacities %v and positions %v, want the first Gaussian invisible at the origin", got.Opacities, got.Positions)
	}
	p := make([]float32, 3003)
	if err := f.Positions(t.Context(), 0, p, nil); err != nil || !gaussian.IsLeftOut(p[3:]) || f.Broken() != 1 {
		t.Errorf("positions with one of 1001 broken: got %v, %v, want it left out", p[3:6], err)
	}
	if b, err := f.Bounds(t.Context()); err != nil || b.Max[1] > 101 {
		t.Errorf("bounds: got %v, %v, want the bounds of the others", b, err)
	}
	c = randomCloud(99, 0)
	c.Positions[4] = float32(math.NaN())
	f = open(t, newDocument(1, c).bytes())
	wantInputError(t, f.Positions(t.Context(), 0, p, nil), "values that are not finite: 1 of 99")
	_, err := f.Bounds(t.Context())
	wantInputError(t, err, "values that are not finite: 1 of 99")
}

func TestRead_returns_the_finest_Gaussians_of_a_tree(t *testing.T) {
	t.Parallel()
	c := randomCloud(5, 1)
	c.Opacities = []float32{1, 0.25, 0.5, 0.125, 1}
	d := newDocument(2, c)
	d.flags = 0x80
	for _, children := range []uint16{2, 0, 1, 0, 0} {
		d.tree = binary.LittleEndian.AppendUint16(d.tree, children)
	}
	d.tree = append(d.tree, make([]byte, 4*5)...)
	f := open(t, d.bytes())
	if d := cmp.Diff(spz.Facts{Version: 2, Splats: 3, Degree: 1, Tree: true}, f.Facts()); d != "" {
		t.Errorf("facts (-want +got): %s", d)
	}
	got, all := &gaussian.Cloud{}, &gaussian.Cloud{}
	if err := f.Read(t.Context(), 0, []uint32{0, 1, 2}, got); err != nil {
		t.Fatal(err)
	}
	d.flags, d.tree = 0, nil
	if err := open(t, d.bytes()).Read(t.Context(), 0, []uint32{1, 3, 4}, all); err != nil {
		t.Fatal(err)
	}
	all.Opacities = []float32{128.0 / 255, 64.0 / 255, 1}
	if d := cmp.Diff(all, got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Errorf("Gaussians (-want +got): %s", d)
	}
}
