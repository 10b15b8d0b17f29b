package palette

import "math"

// prefixWidth is the number of an entry's first values that the graph compares. They
// lie along the main principal axes and rank distances nearly as well as all 45,
// because the other axes add similar amounts to all distances.
const prefixWidth = distanceStep

// prefix contains the first values of an entry. All prefixes lie in one slice, so they
// share cache lines; rows are six times as long.
type prefix [prefixWidth]float32

// neighbourFinder collects the prefixes nearest to an entry's prefix. It must not be
// used by several goroutines concurrently.
type neighbourFinder struct {
	prefixes []prefix
	// keys are the rankKeys of the nearest entries, by distance, ascending.
	keys []uint64
	// An entry has been considered if its element of stamps is equal to stamp.
	// Incrementing stamp clears the set without touching its memory.
	stamps []uint32
	stamp  uint32
}

// newNeighbourFinder returns a finder of the degree nearest entries.
func newNeighbourFinder(prefixes []prefix, degree int) *neighbourFinder {
	return &neighbourFinder{
		prefixes: prefixes,
		keys:     make([]uint64, 0, degree),
		stamps:   make([]uint32, len(prefixes)),
	}
}

// reset removes all neighbours and excludes the entry itself.
func (f *neighbourFinder) reset(entry uint32) {
	f.keys = f.keys[:0]
	f.stamp++
	f.stamps[entry] = f.stamp
}

// consider keeps the candidates that are among the nearest to an entry.
func (f *neighbourFinder) consider(entry uint32, candidates []uint32) {
	prefixes, stamp := f.prefixes, f.stamp
	stamps := f.stamps[:len(prefixes)]
	a, maxKey := &prefixes[entry], f.maxKey()
	for _, c := range candidates {
		if stamps[c] == stamp {
			continue
		}
		stamps[c] = stamp
		// The same sum as in distance, whose call would take as long as the sum.
		b := &prefixes[c]
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		d4, d5, d6, d7 := a[4]-b[4], a[5]-b[5], a[6]-b[6], a[7]-b[7]
		d := ((d0*d0 + d1*d1) + (d2*d2 + d3*d3)) + ((d4*d4 + d5*d5) + (d6*d6 + d7*d7))
		if key := rankKey(d, c); key < maxKey {
			f.insert(key)
			maxKey = f.maxKey()
		}
	}
}

// maxKey returns the bound below which a key is among the nearest.
func (f *neighbourFinder) maxKey() uint64 {
	if len(f.keys) < cap(f.keys) {
		return math.MaxUint64
	}
	return f.keys[len(f.keys)-1]
}

// insert inserts a key in order, and drops the last key if keys is full.
func (f *neighbourFinder) insert(key uint64) {
	if len(f.keys) < cap(f.keys) {
		f.keys = append(f.keys, key)
	}
	keys := f.keys
	i := len(keys) - 1
	for ; i > 0 && keys[i-1] > key; i-- {
		keys[i] = keys[i-1]
	}
	keys[i] = key
}

// copyNumbers writes the nearest entries, nearest first.
func (f *neighbourFinder) copyNumbers(into []uint32) {
	for i, key := range f.keys {
		into[i] = rankNumber(key)
	}
}
