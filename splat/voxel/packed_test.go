package voxel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows of a part of a word, of some, and of more than one word of a mask has bits.
func TestPacked_has_the_words_of_its_grid(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for _, nx := range []int{4, 64, 72, 64 * 64, 64*70 + 12} {
		t.Run(fmt.Sprint(nx), func(t *testing.T) {
			g := &grid{nx: nx, ny: 4, nz: 8, words: (nx + 63) / 64}
			g.bits = make([]uint64, g.words*g.ny*g.nz)
			for i := range g.bits {
				g.bits[i] = [4]uint64{0, ^uint64(0), random.Uint64(), 1}[random.IntN(4)]
			}
			p, row := g.pack(), make([]uint64, g.words)
			for at := range g.ny * g.nz {
				want := g.bits[at*g.words : (at+1)*g.words]
				for i := range want {
					if got := p.word(at, i); got != want[i] {
						t.Fatalf("word %d of row %d: got %x, want %x", i, at, got, want[i])
					}
				}
				if p.unpack(at, row); !slices.Equal(row, want) {
					t.Fatalf("row %d: got %x, want %x", at, row, want)
				}
			}
		})
	}
}
