package palette

// distanceStep is the number of values that distance compares between two checks
// against its limit. Rows are padded with zeros to a multiple of it.
const distanceStep = 8

// paddedWidth returns the length of a row of dimension values.
func paddedWidth(dimension int) int {
	return (dimension + distanceStep - 1) / distanceStep * distanceStep
}

// distance returns the squared distance between two rows. It stops early when the
// sum reaches limit, and then returns a value of at least limit. The rows must have
// the same length, a multiple of distanceStep.
//
// This is the inner loop of Build. Principal axes put the largest differences first,
// so most calls stop after one step. Converting to array pointers removes the bounds
// checks, and the tree of additions keeps the processor from waiting for each sum.
func distance(a, b []float32, limit float32) float32 {
	var sum float32
	for len(a) >= distanceStep && len(b) >= distanceStep {
		p, q := (*[distanceStep]float32)(a), (*[distanceStep]float32)(b)
		d0, d1, d2, d3 := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		d4, d5, d6, d7 := p[4]-q[4], p[5]-q[5], p[6]-q[6], p[7]-q[7]
		sum += ((d0*d0 + d1*d1) + (d2*d2 + d3*d3)) + ((d4*d4 + d5*d5) + (d6*d6 + d7*d7))
		if sum >= limit {
			return sum
		}
		a, b = a[distanceStep:], b[distanceStep:]
	}
	return sum
}
