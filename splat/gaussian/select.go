package gaussian

import (
	"context"
	"math"
	"slices"
)

// blockSize is the number of Gaussians that a writer has in memory at a time. With harmonics of
// degree 3 they take 15 MB. It is a multiple of 256, the size of a chunk of compressed PLY.
const blockSize = 1 << 16

// Selection is the list of the Gaussians of a level that a writer writes, in the order of
// writing: all Gaussians of the level except broken ones.
type Selection struct {
	source  Source
	level   int
	indices []uint32
	// Dropped is the number of Gaussians that are left out.
	Dropped int64
	// Low and High are the corners of the box around the centres. Without Gaussians
	// they are zero.
	Low, High [3]float32
}

// Order decides how Select arranges the Gaussians that it keeps.
type Order int

// Compressed formats and decimation use Morton order, in which neighbours are similar. All others use
// FileOrder.
const (
	FileOrder   Order = iota // the order of the source
	MortonOrder              // along a space-filling curve, so that neighbours follow each other
)

// Select returns the Gaussians of a level. It needs 12 bytes of memory for each Gaussian, or 20
// in Morton order; the selection itself needs 4. progress may be nil.
func Select(ctx context.Context, source Source, level int, order Order, progress func(done int)) (*Selection, error) {
	s := &Selection{source: source, level: level}
	positions := make([]float32, 3*source.Levels()[level])
	if err := source.Positions(ctx, level, positions, progress); err != nil {
		return nil, err
	}
	for i := 0; i < len(positions); i += 3 {
		p := positions[i : i+3]
		if IsLeftOut(p) {
			s.Dropped++
			continue
		}
		if len(s.indices) == 0 {
			s.Low, s.High = [3]float32(p), [3]float32(p)
		}
		for k, v := range p {
			s.Low[k], s.High[k] = min(s.Low[k], v), max(s.High[k], v)
		}
		s.indices = append(s.indices, uint32(i/3))
	}
	if order == MortonOrder {
		s.sort(positions)
	}
	return s, ctx.Err()
}

// sort sorts the indices in Morton order: it interleaves ten bits of each coordinate, so
// that the box is divided into 1024 cells along each axis.
func (s *Selection) sort(positions []float32) {
	const cells = 1<<10 - 1
	keys := make([]uint64, len(s.indices))
	for n, index := range s.indices {
		var code uint64
		for k := range 3 {
			extent := float64(s.High[k]) - float64(s.Low[k])
			if extent > 0 {
				at := (float64(positions[3*index+uint32(k)]) - float64(s.Low[k])) / extent * cells
				code |= spread(uint64(at)) << k
			}
		}
		// The index in the lower half makes keys distinct, so that the order is the same
		// in every run.
		keys[n] = code<<32 | uint64(index)
	}
	slices.Sort(keys)
	for n, key := range keys {
		s.indices[n] = uint32(key)
	}
}

// spread inserts two zeros before each of the lowest ten bits.
func spread(v uint64) uint64 {
	v = (v | v<<16) & 0x030000ff
	v = (v | v<<8) & 0x0300f00f
	v = (v | v<<4) & 0x030c30c3
	return (v | v<<2) & 0x09249249
}

// Len returns the number of Gaussians that were not left out.
func (s *Selection) Len() int { return len(s.indices) }

// Index returns the index in the level of a Gaussian by its number in the selection.
func (s *Selection) Index(number int) uint32 { return s.indices[number] }

// Each reads the Gaussians in blocks and calls visit with each block, which is valid
// during the call, and with the number of Gaussians before it. All blocks but the last
// have a multiple of 256 Gaussians.
func (s *Selection) Each(ctx context.Context, visit func(first int, c *Cloud) error) error {
	var c Cloud
	for first := 0; first < len(s.indices); first += blockSize {
		end := min(first+blockSize, len(s.indices))
		if err := s.source.Read(ctx, s.level, s.indices[first:end], &c); err != nil {
			return err
		}
		if err := visit(first, &c); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// maxLogit is the logit that is written for an opacity of 1. The logit of the float32 before 1
// is 17. Infinity would be exact, but many readers refuse it.
const maxLogit = 40

// Logit returns the logit of an opacity, which PLY files store.
func Logit(opacity float32) float32 {
	v := math.Log(float64(opacity) / (1 - float64(opacity)))
	return float32(max(-maxLogit, min(v, maxLogit)))
}

// ByteOfColour is the inverse of ColourOfByte. It rounds, and limits the result to 0 to 255.
func ByteOfColour(f float32) byte {
	return byte(max(0, min(math.Round((0.5+C0*float64(f))*255), 255)))
}
