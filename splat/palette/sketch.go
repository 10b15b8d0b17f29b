package palette

import "math"

// sketchWidth is how many of its first values stand for an entry in the graph.
// They are those of the principal axes, and say who is near nearly as well as all
// 45: what the others add is much the same for all.
const sketchWidth = step

// sketch is the first values of an entry, close to those of the others.
type sketch [sketchWidth]float32

// finder gathers the sketches that are nearest to one. It is for one goroutine.
type finder struct {
	sketches []sketch
	// keys ascend: the squared distance, whose bits rise with it as it is not
	// negative, and below them the number.
	keys []uint64
	// An entry has been offered if its element of stamps is stamp: to begin anew
	// is to count one up.
	stamps []uint32
	stamp  uint32
}

// newFinder returns a finder of so many neighbours.
func newFinder(sketches []sketch, degree int) *finder {
	return &finder{
		sketches: sketches,
		keys:     make([]uint64, 0, degree),
		stamps:   make([]uint32, len(sketches)),
	}
}

// begin forgets what was gathered, and refuses the entry itself.
func (f *finder) begin(entry uint32) {
	f.keys = f.keys[:0]
	f.stamp++
	f.stamps[entry] = f.stamp
}

// offer takes those candidates that are among the nearest to an entry.
func (f *finder) offer(entry uint32, candidates []uint32) {
	sketches, stamp := f.sketches, f.stamp
	stamps := f.stamps[:len(sketches)]
	a, limit := &sketches[entry], f.limit()
	for _, c := range candidates {
		if stamps[c] == stamp {
			continue
		}
		stamps[c] = stamp
		b := &sketches[c] // as distance does, whose call would take as long
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		d4, d5, d6, d7 := a[4]-b[4], a[5]-b[5], a[6]-b[6], a[7]-b[7]
		d := ((d0*d0 + d1*d1) + (d2*d2 + d3*d3)) + ((d4*d4 + d5*d5) + (d6*d6 + d7*d7))
		if key := rankKey(d, c); key < limit {
			f.take(key)
			limit = f.limit()
		}
	}
}

// limit is what a key must be less than to be taken.
func (f *finder) limit() uint64 {
	if len(f.keys) < cap(f.keys) {
		return math.MaxUint64
	}
	return f.keys[len(f.keys)-1]
}

// take puts a key in its place, and lets the last one go if there is no more room.
func (f *finder) take(key uint64) {
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

// numbers writes the numbers of what was gathered, nearest first.
func (f *finder) numbers(into []uint32) {
	for i, key := range f.keys {
		into[i] = rankNumber(key)
	}
}
