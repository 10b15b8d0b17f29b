package palette

// rows contains vectors of the same, padded width in one slice.
type rows struct {
	values []float32
	width  int
}

func newRows(n, width int) rows { return rows{make([]float32, n*width), width} }

// len returns the number of vectors.
func (r rows) len() int { return len(r.values) / r.width }

// at returns the i-th vector, in the memory of the rows.
func (r rows) at(i uint32) []float32 {
	from := int(i) * r.width
	return r.values[from : from+r.width : from+r.width]
}

// permute moves the vector order[i] to position i. It works in place, cycle by cycle,
// because a copy would double the largest allocation of Build, and it destroys order.
//
// For the order 2 0 1 the vectors A B C become C A B: A is saved, C moves to its place, B to the
// place of C, and A to the place of B.
func (r rows) permute(order []uint32) {
	const done = ^uint32(0)
	saved := make([]float32, r.width)
	for start := range order {
		if order[start] == done {
			continue
		}
		copy(saved, r.at(uint32(start)))
		to := uint32(start)
		for {
			from := order[to]
			order[to] = done
			if from == uint32(start) {
				copy(r.at(to), saved)
				break
			}
			copy(r.at(to), r.at(from))
			to = from
		}
	}
}

// setMean sets into to the mean of some vectors, at least one.
func (r rows) setMean(members []uint32, into []float32) {
	clear(into)
	for _, m := range members {
		row := r.at(m)[:len(into)]
		for j, v := range row {
			into[j] += v
		}
	}
	scale := 1 / float32(len(members))
	for j := range into {
		into[j] *= scale
	}
}
