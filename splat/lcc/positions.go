package lcc

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// positionsBlock is how many bytes of data.bin Positions reads at a time.
const positionsBlock = 1 << 20

// Positions implements gaussian.Source. It leaves out splats without a finite position. A level
// with too many of them is an *input.Error.
func (c *Capture) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	l, err := c.level(level)
	if err != nil {
		return err
	}
	w := &window{c: c, level: l}
	broken := int64(0) // splats without a finite position
	for i, u := range l.units {
		for done := u.first; done < l.end(i); {
			if ctx.Err() != nil {
				return readError(ctx.Err(), dataName)
			}
			block, err := w.block(i, done)
			if err != nil {
				return err
			}
			n := len(block) / recordSize
			broken += decodePositions(block, p[3*int(done):3*(int(done)+n)])
			done += uint32(n)
			if progress != nil {
				progress(int(done))
			}
		}
	}
	return input.Broken{Invalid: broken}.Check(dataName, int64(l.count))
}

// decodePositions sets p to the positions of records and returns how many are not
// finite.
func decodePositions(block []byte, p []float32) (broken int64) {
	for i := 0; i < len(p); i, block = i+3, block[recordSize:] {
		if !position((*[recordSize]byte)(block), p[i:]) {
			clear(p[i : i+3])
			gaussian.LeaveOut(p[i:])
			broken++
		}
		// This is the rotation of upright, without a matrix: (x, y, z) becomes (x, -z, y). It is
		// 0-p, because -p would be -0 for 0.
		p[i+1], p[i+2] = 0-p[i+2], p[i+1]
	}
	return broken
}

// unitCorner returns the minimum corner of the unit, in the coordinates of the file. Cells divide x
// and y only (white paper, section "index.bin"), so its z is the minimum of the capture.
func (c *Capture) unitCorner(u unit) []float32 {
	low := c.manifest.BoundingBox.Min
	return []float32{
		float32(low[0] + float64(u.x)*c.manifest.CellLengthX),
		float32(low[1] + float64(u.y)*c.manifest.CellLengthY),
		float32(low[2]),
	}
}

// hideGaussian makes the i-th Gaussian, which has no finite position, invisible, and puts it at the
// corner of its unit, so that it does not enlarge any bounds.
func (c *Capture) hideGaussian(cloud *gaussian.Cloud, i int, u unit) {
	copy(cloud.Positions[3*i:], c.unitCorner(u))
	cloud.Opacities[i] = 0
}

// window reads a level of data.bin from front to back. It reads several small units together,
// because a level has thousands of them, and in object storage each read is a request.
//
// Units that are close together are read ahead, up to positionsBlock bytes and over gaps of at most
// maxGap. The blocks of the units are then slices of one buffer, which the next read overwrites.
type window struct {
	c      *Capture
	level  *level
	buffer []byte
	from   int64 // offset of the buffer in data.bin
}

// block returns the records of the i-th unit from the splat with this number on: at most
// positionsBlock bytes.
func (w *window) block(i int, number uint32) ([]byte, error) {
	u := w.level.units[i]
	from := u.offset + recordSize*int64(number-u.first)
	to := min(from+positionsBlock, u.offset+recordSize*int64(w.level.end(i)-u.first))
	if from < w.from || to > w.from+int64(len(w.buffer)) {
		if cap(w.buffer) == 0 {
			w.buffer = make([]byte, positionsBlock)
		}
		w.from, w.buffer = from, w.buffer[:w.readAheadEnd(i, from, to)-from]
		if err := readAt(w.c.data, w.buffer, from, dataName); err != nil {
			return nil, err
		}
	}
	return w.buffer[from-w.from : to-w.from], nil
}

// readAheadEnd returns the end of the next read. The read includes the units after the i-th as
// long as they are close together.
func (w *window) readAheadEnd(i int, from, to int64) int64 {
	for i++; i < len(w.level.units); i++ {
		next := w.level.units[i].offset
		end := next + recordSize*int64(w.level.end(i)-w.level.units[i].first)
		if next < to || next-to > maxGap || end-from > positionsBlock {
			break
		}
		to = end
	}
	return to
}
