package voxel

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// farthest is the squared Mahalanobis distance beyond which a Gaussian adds nothing:
// exp(-farthest/2) is smaller than the resolution of a float32 at the threshold.
const farthest = 36

// sampler computes the density of Gaussians at the voxels of a grid. A voxel is solid if
// the sum of alpha * exp(-d*d/2) over the Gaussians reaches the threshold, where d is the
// Mahalanobis distance of the voxel's nearest point, and only Gaussians count whose box
// of three standard deviations touches the voxel.
//
// Each worker computes whole bricks, so no two workers write to one word of the grid.
type sampler struct {
	grid      *grid
	gaussians *gaussians
	threshold float32
	// centres contains the centres of the voxels along each axis. They are float32 as in
	// splat-transform, because their rounding decides whether a voxel touches a box.
	centres [3][]float32
	// bricks is the number of bricks along each axis. They are numbered along x, then z, then y.
	bricks [3]int
}

// newSampler returns the sampler of a grid. The cutoff is the minimum opacity of a solid voxel.
func newSampler(g *grid, cloud *gaussians, cutoff float64) *sampler {
	// The light that passes several Gaussians is the product of their 1 - alpha. splat-transform
	// adds densities instead, and the opacity is 1 - exp(-sum). Comparing the sum with
	// -log(1 - cutoff) gives the same result without an exponential for each voxel.
	s := &sampler{grid: g, gaussians: cloud, threshold: float32(-math.Log1p(-float64(float32(cutoff))))}
	resolution := float32(g.resolution)
	for k, n := range [3]int{g.nx, g.ny, g.nz} {
		s.bricks[k] = (n + brickSide - 1) / brickSide
		s.centres[k] = make([]float32, n)
		for i := range n {
			brick, block, voxel := i/brickSide*brickSide/blockSide, i%brickSide/blockSide, i%blockSide
			start := float32(g.bounds.Min[k] + float64(brick)*(blockSide*g.resolution))
			offset := float32(float32(block)*blockSide) * resolution
			s.centres[k][i] = float32(start+offset) + float32((float32(voxel)+0.5)*resolution)
		}
	}
	return s
}

// reach returns the voxels along an axis that a box touches: first to end, exclusive. The estimate
// only saves tests: touches decides.
func (s *sampler) reach(axis int, position float32, extent float64) (first, end int) {
	centres, half := s.centres[axis], float32(s.grid.resolution)*0.5
	limit := float32(float32(extent) + half)
	touches := func(i int) bool {
		d := float32(centres[i] - position)
		return max(d, -d) <= limit
	}
	middle := (float64(position) - s.grid.bounds.Min[axis]) / s.grid.resolution
	around := float64(limit) / s.grid.resolution
	// One more voxel on each side, because of rounding.
	first = int(max(0, min(float64(len(centres)), middle-around-1)))
	end = int(max(0, min(float64(len(centres)), middle+around+2)))
	for first < end && !touches(first) {
		first++
	}
	for end > first && !touches(end-1) {
		end--
	}
	return first, end
}

// box returns the voxels that a Gaussian touches, and reports whether there are any.
func (s *sampler) box(i int) (first, end [3]int, ok bool) {
	half, p := s.gaussians.extent(i), s.gaussians.position(i)
	if !isFinite(half) {
		return first, end, false
	}
	for k := range 3 {
		if first[k], end[k] = s.reach(k, p[k], half[k]); first[k] == end[k] {
			return first, end, false
		}
	}
	return first, end, true
}

// run sets the solid voxels of the grid. The result does not depend on the number of workers: one
// worker computes a brick, and adds the Gaussians in their order. progress is called by one worker
// at a time.
func (s *sampler) run(ctx context.Context, workers int, progress func(float64)) error {
	spans := s.spans(workers)
	starts, order := s.sort(spans)
	total := len(starts) - 1
	var next, done atomic.Int64
	var group sync.WaitGroup
	var report sync.Mutex
	for range max(1, workers) {
		group.Go(func() {
			sums := make([]float32, brickSide*brickSide*brickSide)
			for {
				i := int(next.Add(1)) - 1
				if i >= total || ctx.Err() != nil {
					return
				}
				if members := order[starts[i]:starts[i+1]]; len(members) > 0 {
					s.addBrick(ctx, i, members, spans, sums)
				}
				if n := done.Add(1); n%64 == 0 {
					report.Lock()
					progress(float64(n) / float64(total))
					report.Unlock()
				}
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// brickSpan is the range of voxels that a Gaussian touches: from a voxel of its first brick to a
// voxel of its last brick, inclusive. Computing a span takes as long as the densities of many
// voxels, so it is computed once and not in each brick.
type brickSpan struct {
	first, last           [3]uint16 // bricks
	firstVoxel, lastVoxel [3]uint8  // voxels within the first and the last brick
}

// spans returns the spans of all Gaussians.
func (s *sampler) spans(workers int) []brickSpan {
	n := s.gaussians.len()
	spans := make([]brickSpan, n)
	chunks := (n + readChunk - 1) / readChunk
	runParallel(chunks, workers, func() func(int) {
		return func(chunk int) {
			for i := chunk * readChunk; i < min(n, (chunk+1)*readChunk); i++ {
				spans[i] = s.span(i)
			}
		}
	})
	return spans
}

// sort returns the Gaussians that touch each brick: order[starts[i]:starts[i+1]] are the Gaussians
// of brick i. It is a counting sort: the first pass counts the Gaussians of each brick, and the
// second pass stores them. They stay in their order, on which the rounding of the sums depends.
func (s *sampler) sort(spans []brickSpan) (starts []int, order []uint32) {
	starts = make([]int, s.bricks[0]*s.bricks[1]*s.bricks[2]+1)
	for _, span := range spans {
		s.visitBricks(span, func(brick int) { starts[brick+1]++ })
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	order = make([]uint32, starts[len(starts)-1])
	at := slices.Clone(starts)
	for i, span := range spans {
		s.visitBricks(span, func(brick int) {
			order[at[brick]] = uint32(i)
			at[brick]++
		})
	}
	return starts, order
}

// span returns the span of a Gaussian. If the Gaussian touches no voxel, the first brick is after
// the last.
func (s *sampler) span(i int) brickSpan {
	first, end, ok := s.box(i)
	if !ok {
		return brickSpan{first: [3]uint16{1, 1, 1}}
	}
	var span brickSpan
	for k := range 3 {
		last := end[k] - 1
		span.first[k], span.firstVoxel[k] = uint16(first[k]/brickSide), uint8(first[k]%brickSide)
		span.last[k], span.lastVoxel[k] = uint16(last/brickSide), uint8(last%brickSide)
	}
	return span
}

// voxelsIn returns the voxels of the span in the brick at origin: first to end, exclusive.
func (span *brickSpan) voxelsIn(origin [3]int) (first, end [3]int) {
	for k := range 3 {
		first[k] = max(origin[k], int(span.first[k])*brickSide+int(span.firstVoxel[k]))
		end[k] = min(origin[k]+brickSide, int(span.last[k])*brickSide+int(span.lastVoxel[k])+1)
	}
	return first, end
}

func (s *sampler) visitBricks(span brickSpan, visit func(brick int)) {
	for y := int(span.first[1]); y <= int(span.last[1]); y++ {
		for z := int(span.first[2]); z <= int(span.last[2]); z++ {
			for x := int(span.first[0]); x <= int(span.last[0]); x++ {
				visit((y*s.bricks[2]+z)*s.bricks[0] + x)
			}
		}
	}
}

// contextInterval is the number of Gaussians of a brick between two checks of the
// context.
const contextInterval = 1 << 12

// addBrick adds the members' density to the voxels of a brick.
func (s *sampler) addBrick(ctx context.Context, brick int, members []uint32, spans []brickSpan, sums []float32) {
	clear(sums)
	x := brick % s.bricks[0]
	z := brick / s.bricks[0] % s.bricks[2]
	y := brick / s.bricks[0] / s.bricks[2]
	origin := [3]int{x * brickSide, y * brickSide, z * brickSide}
	var b density
	for n, i := range members {
		if n%contextInterval == 0 && ctx.Err() != nil {
			return
		}
		first, end := spans[i].voxelsIn(origin)
		if b.prepare(s, int(i), first, end) {
			s.add(&b, origin, first, end, sums)
		}
	}
}

// add adds a Gaussian's density to the voxels from first to end of the brick at origin.
func (s *sampler) add(b *density, origin, first, end [3]int, sums []float32) {
	column := origin[0] / brickSide
	// A brick is as wide as a word, so a row of it is one word of the grid.
	inRow := ^uint64(0) >> (brickSide - (end[0] - first[0])) << (first[0] - origin[0])
	for y := first[1]; y < end[1]; y++ {
		for z := first[2]; z < end[2]; z++ {
			solid := &s.grid.row(y, z)[column]
			free := inRow &^ *solid
			if free == 0 {
				continue // density only grows
			}
			dy, dz := b.offsets[1][y-first[1]], b.offsets[2][z-first[2]]
			low, high, ok := b.selectRow(dy, dz)
			if !ok {
				continue
			}
			// The sums are float32 and added in the order of the Gaussians, as in splat-transform.
			// With float64 other voxels would be solid where a sum is near the threshold.
			row := sums[((y-origin[1])*brickSide+z-origin[2])*brickSide:][:brickSide]
			free &= s.between(b, low, high, origin[0])
			for free != 0 {
				at := bits.TrailingZeros64(free)
				free &= free - 1
				row[at] += b.density(b.offsets[0][at+origin[0]-first[0]])
				if row[at] >= s.threshold {
					*solid |= 1 << at
				}
			}
		}
	}
}

// between returns the bits of the voxels of a row whose nearest points may have offsets from low
// to high from the Gaussian's centre.
func (s *sampler) between(b *density, low, high float64, origin int) uint64 {
	centre := b.position[0] - s.grid.bounds.Min[0]
	// One more voxel on each side, because of rounding.
	first := int((centre+low)/s.grid.resolution) - 1 - origin
	end := int((centre+high)/s.grid.resolution) + 2 - origin
	first, end = max(0, min(brickSide, first)), max(0, min(brickSide, end))
	if end <= first {
		return 0
	}
	return ^uint64(0) >> (brickSide - (end - first)) << first
}
