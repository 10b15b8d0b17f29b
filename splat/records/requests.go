package records

import (
	"fmt"
	"slices"
)

// rowRequest is a requested row: its number is in the upper half, and its index in the request
// in the lower half. Sorted as integers, requests are in file order.
type rowRequest uint64

// newRequest returns a request. Both numbers have at most 32 bits.
func newRequest(number, slot int) rowRequest { return rowRequest(number)<<32 | rowRequest(slot) }

// number returns the number of the row in the file.
func (w rowRequest) number() int { return int(w >> 32) }

// slot returns the index in the request.
func (w rowRequest) slot() int { return int(uint32(w)) }

// Requests are sorted by the number of the row.
type Requests []rowRequest

// NewRequests sorts the numbers of rows, which must be less than count. It first checks whether
// they are sorted, because writers often request them in order.
func NewRequests(numbers []uint32, count int) (Requests, error) {
	o := make(Requests, len(numbers))
	for slot, number := range numbers {
		if int(number) >= count {
			return nil, fmt.Errorf("read Gaussian %d: there are %d", number, count)
		}
		o[slot] = newRequest(int(number), slot)
	}
	if !slices.IsSorted(o) {
		o = o.sorted(count)
	}
	return o, nil
}

// digitBits is the number of bits of a digit of the radix sort. The counts of a pass fit into
// the L1 cache.
const digitBits = 11

// sorted returns the requests in the order of their rows, which are less than count. It sorts
// few requests by comparison. For millions, a radix sort from the lowest digit takes a third of
// the time. It is stable, so requests for the same row stay in the order of their slots.
//
// A pass moves the requests to spare by one digit of the row, and exchanges both. Only the bits
// that rows below count can have are sorted.
func (o Requests) sorted(count int) Requests {
	if len(o) < 1<<digitBits {
		slices.Sort(o)
		return o
	}
	spare := make(Requests, len(o))
	for shift := 32; (count-1)>>(shift-32) > 0; shift += digitBits {
		var next [1<<digitBits + 1]uint32
		for _, r := range o {
			next[r>>shift%(1<<digitBits)+1]++
		}
		for i := range next[1:] {
			next[i+1] += next[i]
		}
		for _, r := range o {
			to := &next[r>>shift%(1<<digitBits)]
			spare[*to] = r
			*to++
		}
		o, spare = spare, o
	}
	return o
}
