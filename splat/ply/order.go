package ply

import (
	"fmt"
	"slices"
)

// wanted is a row that was asked for: its number above, its place in the request
// below, so that sorting puts the rows into the order of the file.
type wanted uint64

// number is that of the row in the file.
func (w wanted) number() int { return int(w >> 32) }

// slot is the place in the request.
func (w wanted) slot() int { return int(uint32(w)) }

// order is a request, sorted.
type order []wanted

// newOrder sorts the numbers of rows, of which there are count. Requests of writers
// are often sorted already.
func newOrder(numbers []uint32, count int) (order, error) {
	o := make(order, len(numbers))
	for slot, number := range numbers {
		if int(number) >= count {
			return nil, fmt.Errorf("read Gaussian %d: there are %d", number, count)
		}
		o[slot] = wanted(number)<<32 | wanted(slot)
	}
	if !slices.IsSorted(o) {
		slices.Sort(o)
	}
	return o, nil
}
