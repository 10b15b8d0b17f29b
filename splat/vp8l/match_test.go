package vp8l

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMatcher_finds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	random := make([]uint32, 9000)
	for i := range random {
		random[i] = r.Uint32()
	}
	same := make([]uint32, 9000)
	for _, test := range []struct {
		name     string
		pixels   []uint32
		width    int
		at       int
		length   uint32
		distance uint32
	}{
		{"nothing in noise", random, 100, 8000, 0, 0},
		{"a run", same, 100, 1, maxLength, 1},
		{"a run up to the end", same, 100, 8990, 10, 1},
		{"the row above", append(random[:100:100], random[:100]...), 100, 100, 100, 100},
		{"what is far away, some pixels late", append(random[:8000:8000], random[50:450]...), 100, 8100, 300, 7950},
		{"a run in noise from its first pixel", append(random[:8000:8000], same[:40]...), 100, 8001, 39, 1},
		{"three pixels", append(random[:80:80], random[50:53]...), 100, 80, 3, 30},
		{"two pixels from the left", append(random[:80:80], random[79], random[79]), 100, 80, 2, 1},
		{"the longest of several", append(append(random[:500:500], random[:9]...), random[:20]...), 100, 509, 20, 509},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var m matcher
			m.reset(len(test.pixels))
			found := make([]match, len(test.pixels))
			half := len(found) / 2
			m.find(found[:half], test.pixels, 0, test.width)
			m.find(found[half:], test.pixels, half, test.width)
			if got, want := found[test.at], (match{test.length, test.distance}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestFindNear_matches_the_left_and_the_upper_pixel(t *testing.T) {
	t.Parallel()
	pixels := []uint32{
		1, 2, 2, 2, 3,
		1, 2, 2, 4, 4,
		1, 2, 2, 4, 4,
	}
	want := []match{
		{0, 1}, {0, 1}, {2, 1}, {1, 1}, {0, 1},
		{3, 5}, {2, 5}, {1, 1}, {0, 1}, {1, 1},
		{5, 5}, {4, 5}, {3, 5}, {2, 5}, {1, 1},
	}
	found := make([]match, len(pixels))
	findNear(found[:7], pixels, 0, 5)
	findNear(found[7:], pixels, 7, 5)
	want[5] = match{2, 5} // up to the end of its block
	want[6] = match{1, 5}
	if !slices.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}
