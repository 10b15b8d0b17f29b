package palette

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Options configures Build. The zero value suits the harmonics of splats.
type Options struct {
	// Workers is the number of goroutines that compute; 0 means GOMAXPROCS. The
	// result does not depend on it.
	Workers int
	// Rounds is the number of rounds that move points and entries; 0 means 3.
	// Three rounds reach about the error of ten rounds of flat k-means. With eight
	// points per entry, two rounds leave 1 to 2 percent more, and the twelfth
	// lowers the error by a tenth of a percent. A round takes about 1 us for each
	// point of 45 values.
	Rounds int
	// Progress is called a few hundred times with the completed fraction, which
	// rises to 1. Calls do not overlap, and the work waits for them. Nil means no
	// reports.
	Progress func(fraction float64)
}

// Palette is the result of Build: entries, and the entry of each point.
type Palette struct {
	// Centroids contains the entries, dimension values each. Similar entries tend to
	// be adjacent, which helps compression.
	Centroids []float32
	// Labels contains the index of each point's entry. Every entry has at least one
	// point.
	Labels []uint32
}

// Build returns a palette of at most size entries for points with dimension values
// each. Every entry is the mean of its points. If there are at most size distinct
// points, they are the entries and the palette is exact. Without points, the palette
// is empty. Values must be finite.
//
// Build only reads the points. It needs about 210 bytes of memory for each point of
// 45 values and 800 for each entry: with eight points per entry, 1.7 times the
// memory of the points. When the context ends, Build returns its error within some
// milliseconds.
func Build(ctx context.Context, points []float32, dimension, size int, o Options) (*Palette, error) {
	maxMagnitude, err := check(points, dimension, size)
	if err != nil {
		return nil, err
	}
	reporter := newProgress(o.Progress)
	p, err := exactPalette(ctx, points, dimension, size)
	if p == nil && err == nil {
		b := builder{points, dimension, size, newWorkers(o.Workers, reporter)}
		p, err = b.build(ctx, maxMagnitude, o.Rounds)
	}
	if err != nil {
		return nil, fmt.Errorf("build palette of %d entries: %w", size, err)
	}
	reporter.finish()
	return p, nil
}

// check returns an error for arguments that Build refuses, and the maximum magnitude
// of the values.
func check(points []float32, dimension, size int) (maxMagnitude float64, err error) {
	switch {
	case dimension < 1:
		return 0, fmt.Errorf("build palette: dimension %d is less than 1", dimension)
	case size < 1:
		return 0, fmt.Errorf("build palette: size %d is less than 1", size)
	case len(points)%dimension != 0:
		return 0, fmt.Errorf("build palette: %d values are not a whole number of points of %d", len(points), dimension)
	case len(points)/dimension > math.MaxInt32:
		return 0, errors.New("build palette: too many points")
	}
	// Without the sign, the bits of floats are ordered like their magnitudes, with
	// infinity and NaN above all numbers. So one integer maximum finds both the
	// largest value and the values that are not finite.
	bits := uint32(0)
	for _, v := range points {
		bits = max(bits, math.Float32bits(v)&^signBit)
	}
	if bits > math.Float32bits(math.MaxFloat32) {
		i := slices.IndexFunc(points, func(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) })
		return 0, fmt.Errorf("build palette: value %d of point %d is not finite", i%dimension, i/dimension)
	}
	return float64(math.Float32frombits(bits)), nil
}

// builder builds the palette of more than size distinct points.
type builder struct {
	points    []float32
	dimension int
	size      int
	workers   *workers
}

// build runs all stages.
func (b builder) build(ctx context.Context, maxMagnitude float64, rounds int) (*Palette, error) {
	const defaultRounds = 3
	if rounds <= 0 {
		rounds = defaultRounds
	}
	b.workers.progress.setRounds(rounds)
	order, s, err := b.seed(ctx, maxMagnitude)
	if err != nil {
		return nil, err
	}
	if b.size > 1 {
		if err := s.refine(ctx, rounds); err != nil {
			return nil, err
		}
	}
	return b.makePalette(order, s), nil
}

// seed rotates the points to their principal axes and places the initial entries by
// a tree. It returns the state, whose points are in the order of the tree, and the
// original index of each point.
func (b builder) seed(ctx context.Context, maxMagnitude float64) ([]uint32, *state, error) {
	b.workers.progress.startStage(costProject, len(b.points)/b.dimension)
	turned, err := principalAxes(b.points, b.dimension, maxMagnitude).project(ctx, b.points, b.workers)
	if err != nil {
		return nil, nil, err
	}
	s := newState(turned, b.size, b.workers)
	t := tree{s.points, s.preferred}
	order, err := t.grow(ctx, b.size, b.workers)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range order {
		s.labels[i] = t.labels[p]
	}
	copy(s.preferred, order)
	s.points.permute(s.preferred)
	s.groupMembers()
	return order, s, s.setMeans(ctx)
}

// makePalette drops entries without points and computes the others from the original
// points. That removes the rounding errors of rotations and moves, and the entry of
// equal points is equal to them bit by bit.
func (b builder) makePalette(order []uint32, s *state) *Palette {
	p := &Palette{
		Centroids: make([]float32, 0, b.size*b.dimension),
		Labels:    make([]uint32, len(order)),
	}
	sums := make([]float64, b.dimension)
	for e := range s.counts {
		members := s.membersOf(uint32(e))
		if len(members) == 0 {
			continue
		}
		clear(sums)
		number := uint32(len(p.Centroids) / b.dimension)
		for _, m := range members {
			at := order[m]
			p.Labels[at] = number
			point := b.points[int(at)*b.dimension:][:len(sums)]
			for j, v := range point {
				sums[j] += float64(v)
			}
		}
		for _, sum := range sums {
			p.Centroids = append(p.Centroids, float32(sum/float64(len(members))))
		}
	}
	return p
}
