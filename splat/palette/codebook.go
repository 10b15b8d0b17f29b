package palette

// codebookSize is the number of entries that a byte can index.
const codebookSize = 256

// Codebook maps every value to the nearest of its entries. It is immutable, so
// several goroutines may use it.
type Codebook struct {
	entries []float32
	// bounds are the midpoints of neighbouring entries. They are float64 because
	// no float32 lies between two consecutive ones.
	bounds []float64
	// A value in bucket b has an index from bucketStarts[b] to bucketStarts[b+1].
	// Buckets are equally wide, so a division replaces most of the binary search.
	bucketStarts []uint8
	low, scale   float64
}

// NewCodebook returns a codebook of at most 256 entries for the values. If there are
// at most 256 distinct values, they are the entries. Otherwise the sum of the squared
// errors is within a few percent of the minimum, and rare values far from the others
// get entries too. Values that are not finite are ignored; without values, the only
// entry is 0. NewCodebook takes about 2 ms plus 20 ns for each value, and up to 28
// bytes of memory for each value.
func NewCodebook(values []float32) *Codebook {
	entries := newDistribution(values).quantize(codebookSize)
	if len(entries) == 0 {
		entries = []float32{0}
	}
	return newCodebook(entries)
}

// newCodebook returns the codebook with the given entries, which must ascend.
func newCodebook(entries []float32) *Codebook {
	const buckets = 2048
	c := &Codebook{entries: entries, low: float64(entries[0])}
	for i := range len(entries) - 1 {
		c.bounds = append(c.bounds, (float64(entries[i])+float64(entries[i+1]))/2)
	}
	if high := float64(entries[len(entries)-1]); high > c.low {
		c.scale = buckets / (high - c.low)
	}
	c.bucketStarts = make([]uint8, buckets+1)
	below := 0
	for b := range c.bucketStarts {
		for below < len(c.bounds) && c.bucket(c.bounds[below], buckets) < b {
			below++
		}
		c.bucketStarts[b] = uint8(below)
	}
	return c
}

// bucket returns the index of a value's bucket, which never falls as the value
// rises.
func (c *Codebook) bucket(v float64, buckets int) int {
	b := (v - c.low) * c.scale
	if !(b > 0) {
		return 0
	}
	return int(min(b, float64(buckets-1)))
}

// Entries returns the entries: at least one, ascending, without duplicates. The
// slice is the codebook's own memory, so callers must not change it.
func (c *Codebook) Entries() []float32 { return c.entries }

// Index returns the index of the entry nearest to v, and of two equally near entries
// the lower. The index of NaN is 0.
func (c *Codebook) Index(v float32) uint8 {
	value := float64(v)
	b := c.bucket(value, len(c.bucketStarts)-1)
	low, high := int(c.bucketStarts[b]), int(c.bucketStarts[b+1])
	for high-low > 8 {
		if middle := (low + high) / 2; c.bounds[middle] < value {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for low < high && c.bounds[low] < value {
		low++
	}
	return uint8(low)
}
