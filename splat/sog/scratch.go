package sog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"portico/splat/gaussian"
)

const (
	// scratchBlock is the number of Gaussians that are read together for a scratch.
	scratchBlock = 1 << 14
	// scratchBuffers is the memory for all chunks' rows that are not written yet, and
	// scratchBuffer its maximum for one chunk, in bytes.
	scratchBuffers, scratchBuffer = 48 << 20, 256 << 10
	// slotBytes is the size of a row's slot, which precedes its values.
	slotBytes = 4
)

// scratch is a temporary file with the Gaussians of a level, chunk by chunk. Trainers write
// Gaussians in an order of their own, in which each chunk is spread over the whole capture,
// so reading the chunks one after another would read nearly the whole file for each. The
// values are exact: chunks are the same with a scratch and without.
//
// The layout of a row, little-endian; n is 3*Coefficients(degree):
//
//	 0  u32     the slot: the number of the Gaussian in its chunk
//	 4  f32 x3  position
//	16  f32 x4  rotation
//	32  f32 x3  scales
//	44  f32 x3  colours
//	56  f32     opacity
//	60  f32 xn  harmonics
//
// The rows of a chunk are together, in the order in which they were added; the slot says where a
// row belongs when it is read.
type scratch struct {
	file   *os.File
	degree int
	// starts contains the first row of each chunk, and the number of rows.
	starts []uint32
	// mu guards written, the number of each chunk's rows in the file or in buffers.
	mu      sync.Mutex
	written []int
	buffers [][]byte
}

// scratchError is a fault of the scratch itself, such as a full disk. It is not a reason to fail:
// the capture can be read without one.
type scratchError struct{ error }

// Unwrap returns the fault.
func (e scratchError) Unwrap() error { return e.error }

// createScratch returns an empty scratch for the chunks of a level, as a file without a name
// in a folder. The caller closes it.
func createScratch(folder string, degree int, chunks []*plannedChunk) (*scratch, error) {
	file, err := os.CreateTemp(folder, "portico-scratch-*")
	if err != nil {
		return nil, scratchError{err}
	}
	// The system deletes a file without a name when the process ends in any way.
	if err := os.Remove(file.Name()); err != nil {
		return nil, scratchError{errors.Join(err, file.Close())}
	}
	return newScratch(file, degree, chunks), nil
}

// newScratch returns an empty scratch that is stored in file.
func newScratch(file *os.File, degree int, chunks []*plannedChunk) *scratch {
	s := &scratch{file: file, degree: degree, starts: make([]uint32, 1, len(chunks)+1)}
	for i, planned := range chunks {
		s.starts = append(s.starts, s.starts[i]+uint32(planned.count))
	}
	s.written, s.buffers = make([]int, len(chunks)), make([][]byte, len(chunks))
	rows := max(1, min(scratchBuffer, scratchBuffers/len(chunks))/s.rowBytes())
	for i := range s.buffers {
		s.buffers[i] = make([]byte, 0, rows*s.rowBytes())
	}
	return s
}

// rowBytes returns the size of a row.
func (s *scratch) rowBytes() int {
	const values = 3 + 4 + 3 + 3 + 1
	return slotBytes + 4*(values+3*gaussian.Coefficients(s.degree))
}

// noRow is the row of a Gaussian that is in no chunk.
const noRow = math.MaxUint32

// rows returns the row of each of the level's Gaussians in the order of the chunks.
func rows(count int, chunks []*plannedChunk, start int64) []uint32 {
	all := make([]uint32, count)
	for i := range all {
		all[i] = noRow
	}
	row := uint32(0)
	for _, planned := range chunks {
		for _, p := range planned.parts {
			for _, index := range p.indices {
				all[index-uint32(start)] = row
				row++
			}
		}
	}
	return all
}

// sourceLevel is a level of a source, and the row of each of its Gaussians in a scratch.
type sourceLevel struct {
	source gaussian.Source
	number int
	rows   []uint32
}

// fill copies a level from its source, in the source's order. It calls report with the number of
// Gaussians that it has copied.
func (s *scratch) fill(ctx context.Context, level sourceLevel, workers int, report func(done int)) error {
	g := newTaskGroup(ctx)
	var next atomic.Int64
	for range workers {
		g.start(func(ctx context.Context) error {
			var c gaussian.Cloud
			var indices []uint32
			for {
				first := int(next.Add(scratchBlock)) - scratchBlock
				if first >= len(level.rows) {
					return nil
				}
				indices = indices[:0]
				for i := first; i < min(first+scratchBlock, len(level.rows)); i++ {
					indices = append(indices, uint32(i))
				}
				if err := level.source.Read(ctx, level.number, indices, &c); err != nil {
					return fmt.Errorf("read level %d: %w", level.number, err)
				}
				if err := s.add(&c, level.rows[first:first+len(indices)]); err != nil {
					return scratchError{err}
				}
				report(len(indices))
			}
		})
	}
	if err := g.wait(); err != nil {
		return err
	}
	if err := s.flushAll(); err != nil {
		return scratchError{err}
	}
	return nil
}

// add appends Gaussians to their chunks. A row names its slot, so that rows may be added in
// any order.
func (s *scratch) add(c *gaussian.Cloud, rows []uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, row := range rows {
		if row == noRow {
			continue
		}
		chunk, exact := slices.BinarySearch(s.starts, row)
		if !exact {
			chunk--
		}
		if len(s.buffers[chunk]) == cap(s.buffers[chunk]) {
			if err := s.flush(chunk); err != nil {
				return err
			}
		}
		s.buffers[chunk] = s.appendRow(s.buffers[chunk], row-s.starts[chunk], c, i)
	}
	return nil
}

// flushAll writes all buffers and frees them.
func (s *scratch) flushAll() error {
	for chunk := range s.buffers {
		if err := s.flush(chunk); err != nil {
			return err
		}
	}
	s.buffers = nil
	return nil
}

// flush writes the buffer of a chunk after the chunk's rows in the file, and empties it. The caller
// holds mu, or no goroutine adds rows any more.
func (s *scratch) flush(chunk int) error {
	b := s.buffers[chunk]
	if _, err := s.file.WriteAt(b, s.offset(chunk, s.written[chunk])); err != nil {
		return err
	}
	s.written[chunk] += len(b) / s.rowBytes()
	s.buffers[chunk] = b[:0]
	return nil
}

// offset returns the place of a row of a chunk in the file.
func (s *scratch) offset(chunk, row int) int64 {
	return (int64(s.starts[chunk]) + int64(row)) * int64(s.rowBytes())
}

// parts returns the values of Gaussian i, in the order of a row.
func (s *scratch) parts(c *gaussian.Cloud, i int) [6][]float32 {
	n := 3 * gaussian.Coefficients(s.degree)
	return [...][]float32{
		c.Positions[3*i : 3*i+3], c.Rotations[4*i : 4*i+4], c.Scales[3*i : 3*i+3], c.Colours[3*i : 3*i+3],
		c.Opacities[i : i+1], c.Harmonics[n*i : n*i+n],
	}
}

// appendRow appends Gaussian i to b as rowBytes bytes: its slot in the chunk, and its values.
func (s *scratch) appendRow(b []byte, slot uint32, c *gaussian.Cloud, i int) []byte {
	b = binary.LittleEndian.AppendUint32(b, slot)
	for _, part := range s.parts(c, i) {
		for _, v := range part {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

// read sets c to the Gaussians of a chunk.
func (s *scratch) read(ctx context.Context, chunk int, c *gaussian.Cloud) error {
	n, size := int(s.starts[chunk+1]-s.starts[chunk]), s.rowBytes()
	c.Resize(n, s.degree)
	block := make([]byte, min(n, max(1, scratchBuffer/size))*size)
	for at := 0; at < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := block[:min(len(block), (n-at)*size)]
		if read, err := s.file.ReadAt(b, s.offset(chunk, at)); read < len(b) {
			return fmt.Errorf("read the scratch: %w", err)
		}
		at += len(b) / size
		for ; len(b) > 0; b = b[size:] {
			values := b[slotBytes:size]
			for _, part := range s.parts(c, int(binary.LittleEndian.Uint32(b))) {
				for k := range part {
					part[k] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*k:]))
				}
				values = values[4*len(part):]
			}
		}
	}
	return nil
}

// close frees the disk.
func (s *scratch) close() error { return s.file.Close() }
