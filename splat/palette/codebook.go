package palette

import "math"

// codebookSize is the number of entries that a byte can index.
const codebookSize = 256

// buckets is the number of equally wide buckets between the first and the last entry of a
// codebook. Most contain at most one border between two entries.
const buckets = 4096

// Codebook maps every value to the nearest of its entries. It is immutable, so
// several goroutines may use it.
type Codebook struct {
	entries []float32
	// bounds are the midpoints of neighbouring entries, rounded down: a float32 is above the
	// midpoint if it is above the rounded midpoint. Infinity follows the last one.
	bounds [codebookSize]float32
	// A value in bucket b has an index from bucketStarts[b] to bucketStarts[b+1]. The
	// bucket replaces most of a binary search.
	bucketStarts [buckets + 1]uint8
	low, high    float32 // the first and the last entry
	scale        float64 // buckets for a difference of 1
}

// NewCodebook returns a codebook of at most 256 entries for the values. If there are
// at most 256 distinct values, they are the entries. Otherwise the sum of the squared
// errors is within a few percent of the minimum, and rare values far from the others
// get entries too. Values that are not finite are ignored; without values, the only
// entry is 0. NewCodebook takes about 2 ms plus 20 ns for each value, and up to 28
// bytes of memory for each value.
func NewCodebook(values []float32) *Codebook {
	entries := newDistribution(values).quantise(codebookSize)
	if len(entries) == 0 {
		entries = []float32{0}
	}
	return newCodebook(entries)
}

// newCodebook returns the codebook with the given entries, which must ascend.
func newCodebook(entries []float32) *Codebook {
	last := len(entries) - 1
	c := &Codebook{entries: entries, low: entries[0], high: entries[last]}
	for i := range c.bounds {
		c.bounds[i] = float32(math.Inf(1))
		if i < last {
			c.bounds[i] = roundDown((float64(entries[i]) + float64(entries[i+1])) / 2)
		}
	}
	if last > 0 {
		c.scale = buckets / (float64(c.high) - float64(c.low))
	}
	below := 0
	for b := range c.bucketStarts {
		for below < last && c.bucket(c.bounds[below]) < b {
			below++
		}
		c.bucketStarts[b] = uint8(below)
	}
	return c
}

// roundDown returns the largest float32 that is at most v.
func roundDown(v float64) float32 {
	rounded := float32(v)
	if float64(rounded) > v {
		rounded = math.Nextafter32(rounded, float32(math.Inf(-1)))
	}
	return rounded
}

// bucket returns the index of the bucket of a value between low and high. It never falls as
// the value rises.
func (c *Codebook) bucket(v float32) int {
	return min(int((float64(v)-float64(c.low))*c.scale), buckets-1)
}

// Entries returns the entries: at least one, ascending, without duplicates. The
// slice is the codebook's own memory, so callers must not change it.
func (c *Codebook) Entries() []float32 { return c.entries }

// Index returns the index of the entry nearest to v, and of two equally near entries
// the lower. The index of NaN is 0.
//
// The steps: limit the value to the range of the entries, find its bucket, and go up from the
// lowest index of the bucket past every bound that is below the value.
func (c *Codebook) Index(v float32) uint8 {
	if !(v > c.low) {
		return 0
	}
	v = min(v, c.high)
	b := c.bucket(v)
	at := c.bucketStarts[b]
	if high := c.bucketStarts[b+1]; high-at > 8 {
		at = c.search(v, at, high)
	}
	// Whether a value is above the only border of its bucket is unpredictable, so the first
	// step adds the sign bit of the difference instead of a branch. More steps are rare.
	at += uint8(math.Float32bits(c.bounds[at]-v) >> 31)
	for c.bounds[at] < v {
		at++
	}
	return at
}

// search returns the lowest index from low to high that v may have, or up to 8 less.
func (c *Codebook) search(v float32, low, high uint8) uint8 {
	for high-low > 8 {
		if middle := low + (high-low)/2; c.bounds[middle] < v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
