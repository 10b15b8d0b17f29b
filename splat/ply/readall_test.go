package ply_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/ply"
)

// Reading everything at once must agree with reading positions, then Gaussians.
func TestReadAll_reads_what_Positions_and_Read_do(t *testing.T) {
	t.Parallel()
	const n = 40_000 // several blocks
	cloud := randomCloud(n, 0)
	zero := float32(math.Inf(-1))
	cloud.Scales[3], cloud.Scales[4], cloud.Scales[5] = zero, zero, zero
	cloud.Positions[3*777+1] = float32(math.NaN())
	for _, kind := range []string{"float", "double"} {
		f := open(t, encode(ply.LittleEndian, gaussians(cloud, typedProperties(kind, names(0))...)))
		s, _ := f.Source()
		var want, got gaussian.Cloud
		if err := s.Read(t.Context(), 0, all(n), &want); err != nil {
			t.Fatal(err)
		}
		positions, last := make([]float32, 3*n), 0
		if err := s.Positions(t.Context(), 0, positions, nil); err != nil {
			t.Fatal(err)
		}
		if err := gaussian.ReadAll(t.Context(), s, 0, &got, func(done int) { last = done }); err != nil {
			t.Fatal(err)
		}
		if last != n || f.Broken() != 2 {
			t.Errorf("%s: progress to %d of %d, %d broken, want 2", kind, last, n, f.Broken())
		}
		for i := range n {
			if left := gaussian.IsLeftOut(got.Positions[3*i:]); left != gaussian.IsLeftOut(positions[3*i:]) {
				t.Errorf("%s: Gaussian %d is left out: %t", kind, i, left)
			} else if left {
				copy(got.Positions[3*i:3*i+3], want.Positions[3*i:])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}
