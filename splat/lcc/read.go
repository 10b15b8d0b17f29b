package lcc

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"portico/splat/gaussian"
)

const (
	// readBlock is how many bytes of data.bin Read reads at a time. It reads twice as many
	// bytes of shcoef.bin.
	readBlock = 1 << 18
	// maxGap is the maximum gap between two records that are read together, in bytes. A
	// separate read takes about as long as copying this many bytes.
	maxGap = 1 << 13
	// radixBits is the number of bits of a digit of the radix sort. Two digits are enough for a
	// level of four million splats, and the 2,048 counts of a digit fit into the L1 cache.
	radixBits = 11
)

type reader struct {
	numbers []uint32 // the argument of Read
	// order contains the indices in numbers, which are also the indices in the cloud, sorted
	// by their numbers. otherOrder is the second buffer of the sort.
	order, otherOrder []uint32
	offsets           []int64 // in data.bin, of the splats of the current run
	data              []byte
	harmonics         []byte
}

// Read implements gaussian.Source. The numbers may be in any order and may occur several times;
// Read sorts them and reads neighbours together. A number that the level does not have is an
// error.
//
// The steps: sort the numbers, divide them into runs that lie close together in the file, read each
// run with one request for each file, and decode its records into the places in which they were
// requested.
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
	defer func() {
		r.numbers = nil
		c.readers.Put(r)
	}()
	cloud.Resize(len(numbers), c.Degree())
	r.numbers = numbers
	r.sort()
	if n := len(numbers); n > 0 && numbers[r.order[n-1]] >= l.count {
		return fmt.Errorf("read Gaussian %d of %d", numbers[r.order[n-1]], l.count)
	}
	for left := r.order; len(left) > 0; left = left[len(r.offsets):] {
		if ctx.Err() != nil {
			return readError(ctx.Err(), dataName)
		}
		r.planRun(l, left)
		if err := c.readRun(r, l, left[:len(r.offsets)], cloud); err != nil {
			return err
		}
	}
	c.upright.Apply(cloud)
	return nil
}

// sort sets the order of reading by a radix sort from the lowest digit. Writers request splats in
// the order of their positions, which is random in the file, and the time of a radix sort does
// not depend on the order.
//
// Each pass counts the digits, turns the counts into the first places of the digits, and moves the
// indices to them. A pass keeps the order of equal digits, so after the last one the numbers are
// sorted by all digits.
func (r *reader) sort() {
	numbers := r.numbers
	r.order = slices.Grow(r.order[:0], len(numbers))[:len(numbers)]
	highest := uint32(0)
	for i, number := range numbers {
		r.order[i] = uint32(i)
		highest = max(highest, number)
	}
	if slices.IsSorted(numbers) {
		return
	}
	r.otherOrder = slices.Grow(r.otherOrder[:0], len(numbers))[:len(numbers)]
	for shift := 0; shift < bits.Len32(highest); shift += radixBits {
		var next [1 << radixBits]uint32
		for _, number := range numbers {
			next[number>>shift%(1<<radixBits)]++
		}
		first := uint32(0)
		for digit, count := range next {
			next[digit], first = first, first+count
		}
		for _, i := range r.order {
			to := &next[numbers[i]>>shift%(1<<radixBits)]
			r.otherOrder[*to] = i
			*to++
		}
		r.order, r.otherOrder = r.otherOrder, r.order
	}
}

// planRun sets the offsets of a run: the first splats of the order that are close enough
// together to read them in one block.
func (r *reader) planRun(l *level, order []uint32) {
	r.offsets = r.offsets[:0]
	u := l.unitOf(r.numbers[order[0]])
	last := int64(0)
	for _, i := range order {
		number := r.numbers[i]
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

// readRun reads the planned run and decodes its Gaussians.
func (c *Capture) readRun(r *reader, l *level, order []uint32, cloud *gaussian.Cloud) error {
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
	for k, index := range order {
		i, at := int(index), r.offsets[k]-from
		if !c.decoder.splat(r.data[at:], cloud, i) {
			c.hideGaussian(cloud, i, l.units[l.unitOf(r.numbers[i])])
		}
		if c.harmonics != nil {
			c.decoder.decodeHarmonics(r.harmonics[ratio*at:], cloud, i)
		}
	}
	return nil
}
