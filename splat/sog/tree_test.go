package sog

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// points returns n positions, some of which are equal and some far away.
func points(n int) []float32 {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	p := make([]float32, 3*n)
	for i := range p {
		switch i / 3 % 10 {
		case 0:
			p[i] = 1.5
		case 1:
			p[i] = float32(r.NormFloat64() * 1000)
		default:
			p[i] = float32(r.NormFloat64() * 10)
		}
	}
	return p
}

func newBuilder(ctx context.Context, positions []float32, r rules, starts ...int64) *builder {
	indices, _ := validPositions(positions)
	return &builder{rules: r, ctx: ctx, positions: positions, indices: indices, starts: starts, report: func(int) {}}
}

func TestBuild_divides_space(t *testing.T) {
	t.Parallel()
	const n = 20_000
	r := rules{chunkGaussians: 3000, chunkExtent: 16, chunkMinGaussians: 200}
	b := newBuilder(t.Context(), points(n), r, 0, 12_000, 18_000)
	root, err := b.buildTree(2)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, n)
	root.visitLeaves(func(l *leaf) {
		around := emptyBox()
		count := 0
		for _, p := range l.parts {
			count += len(p.indices)
			for _, number := range p.indices {
				if seen[number] {
					t.Fatalf("number %d: is in two leaves", number)
				}
				seen[number] = true
				around.addPoint(b.positions[3*number:])
				if got := levelOf(b.starts, number); got != p.level {
					t.Errorf("number %d: is in level %d, belongs to level %d", number, p.level, got)
				}
			}
		}
		maxExtent := max(around.extent(0), around.extent(1), around.extent(2))
		if count > r.chunkGaussians || (count > r.chunkMinGaussians && maxExtent > float64(r.chunkExtent)) {
			t.Errorf("leaf: has %d Gaussians in %.1f metres", count, maxExtent)
		}
	})
	if i := slices.Index(seen, false); i >= 0 {
		t.Errorf("number %d: is in no leaf", i)
	}
}

func TestBuild_ends_if_all_positions_are_equal(t *testing.T) {
	t.Parallel()
	b := newBuilder(t.Context(), make([]float32, 3*5000), rules{chunkGaussians: 10, chunkExtent: 16, chunkMinGaussians: 5}, 0)
	root, err := b.buildTree(1)
	if err != nil {
		t.Fatal(err)
	}
	leaves := 0
	root.visitLeaves(func(l *leaf) {
		leaves++
		if len(l.indices) > 10 {
			t.Errorf("leaf: has %d Gaussians, want at most 10", len(l.indices))
		}
	})
	if leaves < 500 {
		t.Errorf("leaves: got %d, want at least 500", leaves)
	}
}

func TestBuild_is_the_same_with_any_workers(t *testing.T) {
	t.Parallel()
	const n = 200_000 // enough to use several goroutines
	positions, r := points(n), rules{chunkGaussians: 20_000, chunkExtent: 16, chunkMinGaussians: 5000}
	one, four := newBuilder(t.Context(), positions, r, 0), newBuilder(t.Context(), positions, r, 0)
	if _, err := one.buildTree(1); err != nil {
		t.Fatal(err)
	}
	if _, err := four.buildTree(4); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.indices, four.indices) {
		t.Error("order: differs between one worker and four")
	}
}

func TestBuild_stops_when_canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := newBuilder(ctx, points(20_000), rules{chunkGaussians: 100, chunkExtent: 1, chunkMinGaussians: 10}, 0)
	b.report = func(int) { cancel() }
	if _, err := b.buildTree(2); !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want %v", err, context.Canceled)
	}
}

func TestPartition_finds_the_median(t *testing.T) {
	t.Parallel()
	const far = float32(maxCoordinate)
	for name, values := range map[string][]float32{
		"two":          {2, 1},
		"three":        {3, 1, 2},
		"equal ones":   {5, 5, 5, 5, 5, 1, 9},
		"signs":        {-1, 1, -2, 2, 0, float32(math.Copysign(0, -1)), -3},
		"the extremes": {far, -far, 0, far, -far, 1e-40, -1e-40},
		"falling":      {9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			positions := make([]float32, 3*len(values))
			for i, v := range values {
				positions[3*i+1] = v
			}
			b := newBuilder(t.Context(), positions, defaultRules, 0)
			b.keys = make([]uint32, len(values))
			middle := len(values) / 2
			b.partition(0, len(values), middle, 1)
			at := func(number uint32) float32 { return positions[3*number+1] }
			compare := func(x, y uint32) int { return cmp.Compare(at(x), at(y)) }
			low := slices.MaxFunc(b.indices[:middle], compare)
			high := slices.MinFunc(b.indices[middle:], compare)
			if at(low) > at(high) {
				t.Errorf("halves: %g is before %g", at(low), at(high))
			}
			slices.Sort(b.indices)
			for i, number := range b.indices {
				if int(number) != i {
					t.Errorf("numbers: got %d at %d after sorting", number, i)
				}
			}
		})
	}
}

func TestSort_follows_the_curve(t *testing.T) {
	t.Parallel()
	// The corners of a cube and a second level, mixed.
	positions := []float32{
		1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0,
		0, 0, 0, 1, 1, 1,
	}
	indices := []uint32{7, 3, 0, 5, 1, 6, 4, 2}
	new(mortonSorter).sort(indices, positions, []int64{0, 6}, boundingBox(indices, positions))
	// x is in the lowest bits of a key, and level 1 starts at index 6.
	if want := []uint32{1, 2, 3, 5, 4, 0, 6, 7}; !slices.Equal(indices, want) {
		t.Errorf("order: got %d, want %d", indices, want)
	}
}

func TestSort_keeps_neighbours_together(t *testing.T) {
	t.Parallel()
	const n = 10_000
	positions := points(n)
	indices, _ := validPositions(positions)
	before := pathLength(positions, indices)
	new(mortonSorter).sort(indices, positions, []int64{0}, boundingBox(indices, positions))
	if after := pathLength(positions, indices); after > before/5 {
		t.Errorf("path through all: got %.0f metres, was %.0f, want less than a fifth", after, before)
	}
	slices.Sort(indices)
	for i, number := range indices {
		if int(number) != i {
			t.Fatalf("numbers: got %d at %d after sorting", number, i)
		}
	}
}

// pathLength returns the length of the path through all positions.
func pathLength(positions []float32, indices []uint32) (length float64) {
	for i, number := range indices[1:] {
		a, b := positions[3*number:], positions[3*indices[i]:]
		length += math.Hypot(math.Hypot(float64(a[0]-b[0]), float64(a[1]-b[1])), float64(a[2]-b[2]))
	}
	return length
}
