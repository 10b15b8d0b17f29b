package palette

import (
	"math"
	"slices"
)

// cut returns the first runs of size ranges, and the end, that have the least
// error. With a price on every range, the best cut into any number of them takes
// one look along the borders. As the error is convex in the number, a price leaves
// size of them, and is found by halving (Aggarwal, Schieber and Tokuyama, Finding a
// minimum-weight k-link path in graphs with the concave Monge property, 1994).
func (g *grid) cut(size int) []int {
	const rounds = 64 // a dozen suffice unless many ranges are worth the same
	places := len(g.starts) - 1
	best := []int{0, places}
	price := g.usualPrice(size)
	low, high := 0.0, max(price, g.cost(0, places))
	t := newTrail(g)
	for range rounds {
		found := t.find(price)
		if len(found) > size+1 {
			low = price
		} else {
			best, high = found, price
		}
		if len(found) == size+1 || high-low <= 1e-12*high {
			break
		}
		price = between(low, high)
	}
	for len(best) < size+1 { // no price parts only some of many alike
		best = g.part(best)
	}
	starts := make([]int, len(best))
	for i, border := range best {
		starts[i] = g.starts[border]
	}
	return starts
}

// usualPrice returns about what one of size ranges more would save: the error of
// all falls with the square of their number.
func (g *grid) usualPrice(size int) float64 {
	places := len(g.starts) - 1
	costs, sum := make([]float64, size), 0.0
	for i := range costs {
		costs[i] = max(0, g.cost(i*places/size, (i+1)*places/size))
		sum += costs[i]
	}
	slices.Sort(costs)
	if middle := costs[size/2]; middle > 0 { // it does not know of values far out
		return 2 * middle
	}
	return 2 * sum / float64(size)
}

// between returns a price to try next: prices differ by orders of magnitude.
func between(low, high float64) float64 {
	return max(high/16, math.Sqrt(low)*math.Sqrt(high))
}

// part adds the border that lowers the error most.
func (g *grid) part(borders []int) []int {
	at, best, most := 0, 0, math.Inf(-1)
	for i := range len(borders) - 1 {
		from, to := borders[i], borders[i+1]
		whole := g.cost(from, to)
		for b := from + 1; b < to; b++ {
			if gain := whole - g.cost(from, b) - g.cost(b, to); gain > most {
				at, best, most = i+1, b, gain
			}
		}
	}
	return slices.Insert(borders, at, best)
}

// trail is the way to the best cut up to each border.
type trail struct {
	grid  *grid
	costs []float64 // of that cut, prices included
	from  []int     // where its last range begins
}

// newTrail returns a trail for a grid.
func newTrail(g *grid) *trail {
	return &trail{g, make([]float64, len(g.starts)), make([]int, len(g.starts))}
}

// find returns the borders that have the least error and price. Where the last
// range of the best cut begins moves up with its end.
func (t *trail) find(price float64) []int {
	for to := 1; to < len(t.from); to++ {
		border, least := t.from[to-1], math.Inf(1)
		for b := border; b < to && t.costs[b] < least; b++ { // the costs rise
			if cost := t.costs[b] + t.grid.cost(b, to); cost < least {
				border, least = b, cost
			}
		}
		t.costs[to], t.from[to] = least+price, border
	}
	to := len(t.from) - 1
	borders := []int{to}
	for to > 0 {
		to = t.from[to]
		borders = append(borders, to)
	}
	slices.Reverse(borders)
	return borders
}
