package sog

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Keys differ in up to 57 bits, of which the first pass sorts 32. A point that is far away
// leaves all others with the same upper bits.
func TestSorter_sorts_by_all_bits_of_the_key(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		far  float32
	}{
		{"without a far point", 1},
		{"with a far point", 1000},
		{"with a point so far that all others are in a few cells", 1e5},
		{"with a point so far that all others are in one cell", 1e9},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const n = 5000
			r := rand.New(rand.NewPCG(1, 1))
			positions := make([]float32, 3*n)
			for i := range positions {
				positions[i] = r.Float32()
			}
			positions[0] = test.far
			for i := range 300 { // Gaussians at the same place stay in their order
				copy(positions[3*(n-1-i):][:3], positions[3*i:])
			}
			indices := make([]uint32, n)
			for i := range indices {
				indices[i] = uint32(i)
			}
			around, starts := boundingBox(indices, positions), []int64{0, n / 2}
			var s mortonSorter
			s.setKeys(indices, positions, starts, around)
			keys := slices.Clone(s.keys)
			want := slices.Clone(indices)
			slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			s.sort(indices, positions, starts, around)
			if !slices.Equal(indices, want) {
				t.Error("got another order than by the keys")
			}
		})
	}
}
