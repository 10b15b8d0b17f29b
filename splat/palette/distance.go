package palette

// step is how many values distance compares before it looks whether it may stop.
// Rows are padded with zeros to a multiple of it.
const step = 8

// padded returns the length of a row of so many values.
func padded(dimension int) int { return (dimension + step - 1) / step * step }

// distance returns the squared distance between two rows, or something that is
// at least limit once it is clear that the distance is. The rows are equally
// long, a multiple of step; in the order of principal axes the first values
// mostly decide.
func distance(a, b []float32, limit float32) float32 {
	var sum float32
	for len(a) >= step && len(b) >= step {
		p, q := (*[step]float32)(a), (*[step]float32)(b)
		d0, d1, d2, d3 := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		d4, d5, d6, d7 := p[4]-q[4], p[5]-q[5], p[6]-q[6], p[7]-q[7]
		sum += ((d0*d0 + d1*d1) + (d2*d2 + d3*d3)) + ((d4*d4 + d5*d5) + (d6*d6 + d7*d7))
		if sum >= limit {
			return sum
		}
		a, b = a[step:], b[step:]
	}
	return sum
}
