package palette

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Options says how a palette is built. The zero value is right for the harmonics
// of splats.
type Options struct {
	// Workers is how many goroutines compute, 0 for GOMAXPROCS. The result does
	// not depend on it.
	Workers int
	// Rounds is how often points and entries are moved after the first deal, 0
	// for 3, which has about the error of ten rounds of flat k-means: two leave 1 to
	// 2 percent more where an entry has eight points. A round takes about 1 us of a
	// point of 45 values; the twelfth lowers the error by a tenth of a percent.
	Rounds int
	// Progress is told how much is done, rising to 1, some hundred times. It is
	// called by one goroutine at a time, which waits for it. It may be nil.
	Progress func(fraction float64)
}

// Palette is a number of entries and which of them each point has.
type Palette struct {
	// Centroids holds the entries, dimension values each. Those of similar
	// entries tend to stand together.
	Centroids []float32
	// Labels holds the number of the entry of each point. Every entry has at
	// least one point.
	Labels []uint32
}

// Build makes a palette of at most size entries for the points, dimension values
// each. Every entry is the mean of its points; if no more than size points
// differ, each of these is an entry and the palette is exact, and no points make
// an empty palette. Values must be finite.
//
// Beside the points, which are only read, Build needs about 210 bytes of memory
// for each point of 45 values and 800 for each entry, which is 1.7 times the
// points where each entry has eight. It returns the context's error some
// milliseconds after the context ends.
func Build(ctx context.Context, points []float32, dimension, size int, o Options) (*Palette, error) {
	greatest, err := check(points, dimension, size)
	if err != nil {
		return nil, err
	}
	t := newTeller(o.Progress)
	p, err := exact(ctx, points, dimension, size)
	if p == nil && err == nil {
		b := builder{points, dimension, size, newWorkers(o.Workers, t)}
		p, err = b.build(ctx, greatest, o.Rounds)
	}
	if err != nil {
		return nil, fmt.Errorf("build palette of %d entries: %w", size, err)
	}
	t.finish()
	return p, nil
}

// check refuses what cannot be built and returns the greatest magnitude.
func check(points []float32, dimension, size int) (greatest float64, err error) {
	switch {
	case dimension < 1:
		return 0, fmt.Errorf("build palette: dimension %d is less than 1", dimension)
	case size < 1:
		return 0, fmt.Errorf("build palette: size %d is less than 1", size)
	case len(points)%dimension != 0:
		return 0, fmt.Errorf("build palette: %d values are no whole number of points of %d", len(points), dimension)
	case len(points)/dimension > math.MaxInt32:
		return 0, errors.New("build palette: too many points")
	}
	bits := uint32(0) // they rise with the magnitude, beyond that of all numbers too
	for _, v := range points {
		bits = max(bits, math.Float32bits(v)&^signBit)
	}
	if bits > math.Float32bits(math.MaxFloat32) {
		i := slices.IndexFunc(points, func(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) })
		return 0, fmt.Errorf("build palette: value %d of point %d is not finite", i%dimension, i/dimension)
	}
	return float64(math.Float32frombits(bits)), nil
}

// builder makes the palette of points of which more than size differ.
type builder struct {
	points    []float32
	dimension int
	size      int
	workers   *workers
}

// build goes through the stages.
func (b builder) build(ctx context.Context, greatest float64, rounds int) (*Palette, error) {
	const defaultRounds = 3
	if rounds <= 0 {
		rounds = defaultRounds
	}
	b.workers.tell.plan(rounds)
	order, s, err := b.deal(ctx, greatest)
	if err != nil {
		return nil, err
	}
	if b.size > 1 {
		if err := s.refine(ctx, rounds); err != nil {
			return nil, err
		}
	}
	return b.collect(order, s), nil
}

// deal turns the points, deals the entries out by a tree, and returns the state
// after that with the numbers that its points have outside.
func (b builder) deal(ctx context.Context, greatest float64) ([]uint32, *state, error) {
	b.workers.tell.stage(costTurn, len(b.points)/b.dimension)
	turned, err := principalAxes(b.points, b.dimension, greatest).apply(ctx, b.points, b.workers)
	if err != nil {
		return nil, nil, err
	}
	s := newState(turned, b.size, b.workers)
	t := tree{s.points, s.wishes}
	order, err := t.grow(ctx, b.size, b.workers)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range order {
		s.labels[i] = t.labels[p]
	}
	copy(s.wishes, order)
	s.points.permute(s.wishes)
	s.gather()
	return order, s, s.center(ctx)
}

// collect numbers the entries that have points and computes them anew, from the
// points as they were given: what few moves and turns have rounded is gone, and
// the entry of alike points is these to the bit.
func (b builder) collect(order []uint32, s *state) *Palette {
	p := &Palette{
		Centroids: make([]float32, 0, b.size*b.dimension),
		Labels:    make([]uint32, len(order)),
	}
	sums := make([]float64, b.dimension)
	for e := range s.counts {
		members := s.of(uint32(e))
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
