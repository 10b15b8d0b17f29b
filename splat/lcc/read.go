package lcc

import (
	"context"
	"fmt"
	"slices"

	"portico/splat/gaussian"
)

const (
	// readBlock is how many bytes of data.bin Read reads at once; of shcoef.bin
	// they are twice as many.
	readBlock = 1 << 18
	// maxGap is how many bytes are read for nothing rather than read apart: a
	// read costs about as much as copying this many.
	maxGap = 1 << 13
)

// reader is the memory of one Read.
type reader struct {
	// order holds the numbers in ascending order, each above the place in the
	// cloud that it goes to.
	order     []uint64
	offsets   []int64 // in data.bin, of the splats of the present run
	data      []byte
	harmonics []byte
}

// Read implements gaussian.Source. The numbers may be in any order and may
// repeat; one that the level does not have is an error. Numbers close together
// are read at once, whatever their order.
func (c *Capture) Read(ctx context.Context, level int, numbers []uint32, cloud *gaussian.Cloud) error {
	l, err := c.level(level)
	if err != nil {
		return err
	}
	r, ok := c.readers.Get().(*reader)
	if !ok {
		r = &reader{data: make([]byte, readBlock)}
		if c.harmonics != nil {
			r.harmonics = make([]byte, readBlock/recordSize*harmonicsSize)
		}
	}
	defer c.readers.Put(r)
	cloud.Resize(len(numbers), c.Degree())
	r.sort(numbers)
	if n := len(r.order); n > 0 && r.order[n-1]>>32 >= uint64(l.count) {
		return fmt.Errorf("read splat %d of %d", r.order[n-1]>>32, l.count)
	}
	for left := r.order; len(left) > 0; left = left[len(r.offsets):] {
		if ctx.Err() != nil {
			return wrap(ctx.Err(), dataName)
		}
		r.plan(l, left)
		if err := c.readRun(r, l, left[:len(r.offsets)], cloud); err != nil {
			return err
		}
	}
	c.upright.Apply(cloud)
	return nil
}

// sort sets the order of reading. Numbers and places have 32 bits each, so that
// both fit into one integer, which sorts several times faster than a pair.
func (r *reader) sort(numbers []uint32) {
	r.order = slices.Grow(r.order[:0], len(numbers))
	for i, n := range numbers {
		r.order = append(r.order, uint64(n)<<32|uint64(i))
	}
	if !slices.IsSorted(r.order) {
		slices.Sort(r.order)
	}
}

// plan sets the offsets of a run: of the first splat and of those behind it that
// lie close enough to be read at once.
func (r *reader) plan(l *level, order []uint64) {
	r.offsets = r.offsets[:0]
	u := l.unitOf(uint32(order[0] >> 32))
	last := int64(0)
	for _, entry := range order {
		number := uint32(entry >> 32)
		if number >= l.end(u) {
			u = l.unitOf(number)
		}
		offset := l.units[u].offset + recordSize*int64(number-l.units[u].first)
		if len(r.offsets) > 0 && (offset < last || offset-last > maxGap || offset+recordSize-r.offsets[0] > readBlock) {
			return
		}
		r.offsets, last = append(r.offsets, offset), offset
	}
}

// readRun reads the planned run and sets its Gaussians.
func (c *Capture) readRun(r *reader, l *level, order []uint64, cloud *gaussian.Cloud) error {
	from := r.offsets[0]
	size := r.offsets[len(r.offsets)-1] + recordSize - from
	if err := readAt(c.data, r.data[:size], from, dataName); err != nil {
		return err
	}
	const ratio = harmonicsSize / recordSize
	if c.harmonics != nil {
		if err := readAt(c.harmonics, r.harmonics[:ratio*size], ratio*from, harmonicsName); err != nil {
			return err
		}
	}
	for k, entry := range order {
		i, at := int(uint32(entry)), r.offsets[k]-from
		if !c.decoder.splat(r.data[at:], cloud, i) {
			c.hide(cloud, i, l.units[l.unitOf(uint32(entry>>32))])
		}
		if c.harmonics != nil {
			c.decoder.harmonics(r.harmonics[ratio*at:], cloud, i)
		}
	}
	return nil
}
