package palette

// codebookSize is how many values a byte can tell apart.
const codebookSize = 256

// Codebook is a number of values, one of which stands for every other. It does
// not change, so several goroutines may use it.
type Codebook struct {
	entries []float32
	// bounds lie halfway between neighbouring entries; they are float64 so that
	// they lie between entries that are next to each other.
	bounds []float64
	// Of the values in bucket b, the index is from[b] to from[b+1].
	from       []uint8
	low, scale float64
}

// NewCodebook returns a codebook of at most 256 entries for the values. If no
// more than 256 values differ, these are the entries. Otherwise the sum of the
// squared errors is within some percent of the least that is possible, and what
// lies far out, where values are few, has entries too. Values that are not finite
// are left out; without values the only entry is 0. It takes some 2 ms and 20 ns
// for each value, and up to 28 bytes of memory for each.
func NewCodebook(values []float32) *Codebook {
	entries := newRuns(values).divide(codebookSize)
	if len(entries) == 0 {
		entries = []float32{0}
	}
	return newCodebook(entries)
}

// newCodebook returns the codebook with these entries, which ascend.
func newCodebook(entries []float32) *Codebook {
	const buckets = 2048
	c := &Codebook{entries: entries, low: float64(entries[0])}
	for i := range len(entries) - 1 {
		c.bounds = append(c.bounds, (float64(entries[i])+float64(entries[i+1]))/2)
	}
	if high := float64(entries[len(entries)-1]); high > c.low {
		c.scale = buckets / (high - c.low)
	}
	c.from = make([]uint8, buckets+1)
	below := 0
	for b := range c.from {
		for below < len(c.bounds) && c.bucket(c.bounds[below], buckets) < b {
			below++
		}
		c.from[b] = uint8(below)
	}
	return c
}

// bucket returns the number of the bucket of a value; it rises with the value.
func (c *Codebook) bucket(v float64, buckets int) int {
	b := (v - c.low) * c.scale
	if !(b > 0) {
		return 0
	}
	return int(min(b, float64(buckets-1)))
}

// Entries returns the values, at least one, ascending, none twice. They are the
// codebook's own memory and only to be read.
func (c *Codebook) Entries() []float32 { return c.entries }

// Index returns the number of the entry that is nearest to v, of two the lower
// one. That of NaN is 0.
func (c *Codebook) Index(v float32) uint8 {
	value := float64(v)
	b := c.bucket(value, len(c.from)-1)
	low, high := int(c.from[b]), int(c.from[b+1])
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
