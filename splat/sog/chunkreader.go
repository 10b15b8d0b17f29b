package sog

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"portico/splat/gaussian"
)

const (
	// minScattered is how many times a level would be read, for all its chunks together, from
	// which copying it in the order of the chunks costs less.
	minScattered = 6
	// readTogether is the number of neighbours of which sources usually read all if one
	// is requested.
	readTogether = 128
)

// chunkReader reads the Gaussians of chunks, level by level.
//
// Chunks must be read level by level: a change of the level discards the scratch of the level
// before.
type chunkReader struct {
	*writer
	chunks []*plannedChunk // of all levels
	starts []int64         // the first index of each level
	// level is the level of scratch, which is nil if its chunks are read from the source.
	level   int
	scratch *scratch
	indices []uint32
}

// newChunkReader returns a reader of the chunks of the source's levels. The caller closes
// it.
func newChunkReader(w *writer, chunks []*plannedChunk, starts []int64) *chunkReader {
	return &chunkReader{writer: w, chunks: chunks, starts: starts, level: -1}
}

// read sets c to the Gaussians of a chunk.
func (r *chunkReader) read(ctx context.Context, planned *plannedChunk, c *gaussian.Cloud) error {
	if planned.level != r.level {
		if err := r.close(); err != nil {
			return err
		}
		r.level = planned.level
		if err := r.copyLevel(ctx); err != nil {
			return err
		}
	}
	r.progress.add(0, planned.message)
	if r.scratch != nil {
		return r.scratch.read(ctx, planned.index, c)
	}
	r.indices = planned.indices(r.indices[:0], r.starts[planned.level])
	if err := r.source.Read(ctx, planned.level, r.indices, c); err != nil {
		return fmt.Errorf("read level %d: %w", planned.level, err)
	}
	r.progress.add(int64(planned.count)*costRead, planned.message)
	return nil
}

// copyLevel makes the scratch of the level if its chunks are spread over the source.
// Without a folder, or without room in it, there is none.
func (r *chunkReader) copyLevel(ctx context.Context) error {
	chunks, count := r.ofLevel(), r.source.Levels()[r.level]
	if r.options.Scratch == "" || count < r.rules.minScratch || !isScattered(chunks, count, r.starts[r.level]) {
		return nil
	}
	s, err := createScratch(r.options.Scratch, r.source.Degree(), chunks)
	if err == nil {
		message := fmt.Sprintf("Sorting level %d on disk", r.level)
		r.progress.add(0, message)
		report := func(done int) { r.progress.add(int64(done)*costRead, message) }
		level := sourceLevel{r.source, r.level, rows(count, chunks, r.starts[r.level])}
		if err = s.fill(ctx, level, r.options.workers(), report); err == nil {
			r.scratch = s
			return nil
		}
		err = errors.Join(err, s.close())
	}
	if fault := (scratchError{}); errors.As(err, &fault) && ctx.Err() == nil {
		return nil
	}
	return err
}

// ofLevel returns the planned chunks of r.level, in the order of the plan.
func (r *chunkReader) ofLevel() (chunks []*plannedChunk) {
	for _, planned := range r.chunks {
		if planned.level == r.level {
			chunks = append(chunks, planned)
		}
	}
	return chunks
}

// isScattered reports whether reading the chunks of a level with count Gaussians one after
// another would read it minScattered times.
func isScattered(chunks []*plannedChunk, count int, start int64) bool {
	blocks := (count + readTogether - 1) / readTogether
	touched, read := make([]uint64, (blocks+63)/64), 0
	for _, planned := range chunks {
		clear(touched)
		for _, p := range planned.parts {
			for _, index := range p.indices {
				block := (int64(index) - start) / readTogether
				touched[block/64] |= 1 << (block % 64)
			}
		}
		for _, word := range touched {
			read += bits.OnesCount64(word)
		}
	}
	return read >= minScattered*blocks
}

// close frees the scratch.
func (r *chunkReader) close() error {
	if r.scratch == nil {
		return nil
	}
	s := r.scratch
	r.scratch = nil
	return s.close()
}
