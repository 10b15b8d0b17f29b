package lcc

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// maxHiddenShare is the share of splats without a finite position up to which a
// capture is read: one of this many.
const maxHiddenShare = 1000

// positionsBlock is how many bytes of data.bin Positions reads at once.
const positionsBlock = 1 << 20

// Positions implements gaussian.Source. A level in which more than one of a
// thousand splats have no finite position is an *input.Error; up to that they
// are put into the corner of their cell, where Read gives them no opacity.
func (c *Capture) Positions(ctx context.Context, level int, p []float32, progress func(done int)) error {
	l, err := c.level(level)
	if err != nil {
		return err
	}
	w := &window{c: c, level: l}
	hidden := 0 // splats without a position; one too many ends the reading
	for i, u := range l.units {
		for done := u.first; done < l.end(i); {
			if ctx.Err() != nil {
				return wrap(ctx.Err(), dataName)
			}
			block, err := w.block(i, done)
			if err != nil {
				return err
			}
			n := len(block) / recordSize
			hidden += c.placeAll(block, u, p[3*int(done):3*(int(done)+n)])
			if hidden > int(l.count)/maxHiddenShare {
				return tooManyHidden(dataName, int(l.count))
			}
			done += uint32(n)
			if progress != nil {
				progress(int(done))
			}
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.hidden[level] = hidden
	return nil
}

// tooManyHidden refuses a file that has these many splats, too many of them
// damaged.
func tooManyHidden(name string, count int) error {
	return input.Errorf(name, "is damaged: more than one in %d of %d splats have no finite position", maxHiddenShare, count)
}

// placeAll sets p to the positions of records and returns how many of them are
// not finite.
func (c *Capture) placeAll(block []byte, u unit, p []float32) (hidden int) {
	for i := 0; i < len(p); i, block = i+3, block[recordSize:] {
		if !position((*[recordSize]byte)(block), p[i:]) {
			copy(p[i:], c.corner(u))
			hidden++
		}
		p[i+1], p[i+2] = 0-p[i+2], p[i+1] // not -p, which would make -0
	}
	return hidden
}

// corner is where splats of a unit go that have no position, in the file's
// coordinates.
func (c *Capture) corner(u unit) []float32 {
	low := c.manifest.BoundingBox.Min
	return []float32{
		float32(low[0] + float64(u.x)*c.manifest.CellLengthX),
		float32(low[1] + float64(u.y)*c.manifest.CellLengthY),
		float32(low[2]),
	}
}

// hide makes the i-th Gaussian, which has no position, one of a unit that is not
// seen. Its coordinates are the file's.
func (c *Capture) hide(cloud *gaussian.Cloud, i int, u unit) {
	copy(cloud.Positions[3*i:], c.corner(u))
	cloud.Opacities[i] = 0
}

// window reads a level of data.bin from front to back, several small units at
// once.
type window struct {
	c      *Capture
	level  *level
	buffer []byte
	from   int64 // where in data.bin the buffer begins
}

// block returns records of a unit from a splat of it on: all the others, or as
// many as are read at once.
func (w *window) block(i int, number uint32) ([]byte, error) {
	u := w.level.units[i]
	from := u.offset + recordSize*int64(number-u.first)
	to := min(from+positionsBlock, u.offset+recordSize*int64(w.level.end(i)-u.first))
	if from < w.from || to > w.from+int64(len(w.buffer)) {
		if cap(w.buffer) == 0 {
			w.buffer = make([]byte, positionsBlock)
		}
		w.from, w.buffer = from, w.buffer[:w.reach(i, from, to)-from]
		if err := readAt(w.c.data, w.buffer, from, dataName); err != nil {
			return nil, err
		}
	}
	return w.buffer[from-w.from : to-w.from], nil
}

// reach returns up to where to read at once: over the units behind the i-th, as
// long as they lie close together.
func (w *window) reach(i int, from, to int64) int64 {
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
