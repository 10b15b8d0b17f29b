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
func (r rowRequest) number() int { return int(r >> 32) }

// slot returns the index in the request.
func (r rowRequest) slot() int { return int(uint32(r)) }

// Requests are requested rows, sorted by their numbers in the file.
type Requests []rowRequest

// NewRequests sorts the numbers of rows, which must be less than count. It first checks whether
// they are sorted, because writers often request them in order.
func NewRequests(numbers []uint32, count int) (Requests, error) {
	requests := make(Requests, len(numbers))
	for slot, number := range numbers {
		if int(number) >= count {
			return nil, fmt.Errorf("read Gaussian %d: there are %d", number, count)
		}
		requests[slot] = newRequest(int(number), slot)
	}
	if !slices.IsSorted(requests) {
		requests = requests.sort(count)
	}
	return requests, nil
}

// digitBits is the number of bits of a digit of the radix sort. The counts of a pass fit into
// the L1 cache.
const digitBits = 11

// sort returns the requests in the order of their rows, which are less than count. It sorts
// few requests by comparison. For millions, a radix sort from the lowest digit takes a third of
// the time. It is stable, so requests for the same row stay in the order of their slots.
//
// A pass moves the requests to spare by one digit of the row, and exchanges both. Only the bits
// that rows below count can have are sorted.
func (requests Requests) sort(count int) Requests {
	if len(requests) < 1<<digitBits {
		slices.Sort(requests)
		return requests
	}
	spare := make(Requests, len(requests))
	for shift := 32; (count-1)>>(shift-32) > 0; shift += digitBits {
		var next [1<<digitBits + 1]uint32
		for _, r := range requests {
			next[r>>shift%(1<<digitBits)+1]++
		}
		for i := range next[1:] {
			next[i+1] += next[i]
		}
		for _, r := range requests {
			to := &next[r>>shift%(1<<digitBits)]
			spare[*to] = r
			*to++
		}
		requests, spare = spare, requests
	}
	return requests
}
