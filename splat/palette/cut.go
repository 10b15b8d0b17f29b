package palette

import (
	"math"
	"slices"
)

// cut divides the distribution into size ranges with the minimal error and returns
// the first value of each range, and the end. If every range has a price, the best
// cut into any number of ranges is a shortest path. The error is convex in the
// number of ranges, so some price leads to size ranges, and a binary search finds it
// (Aggarwal, Schieber and Tokuyama, Finding a minimum-weight k-link path in graphs
// with the concave Monge property, 1994).
func (g *grid) cut(size int) []int {
	const rounds = 64 // a dozen suffice unless many ranges have equal gains
	cells := len(g.starts) - 1
	best := []int{0, cells}
	price := g.estimatePrice(size)
	low, high := 0.0, max(price, g.cost(0, cells))
	t := newShortestPath(g)
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
		price = nextPrice(low, high)
	}
	for len(best) < size+1 { // no price divides only some of several equal ranges
		best = g.addBorder(best)
	}
	starts := make([]int, len(best))
	for i, border := range best {
		starts[i] = g.starts[border]
	}
	return starts
}

// estimatePrice estimates how much another range would lower the error. The total
// error falls with the square of the number of ranges, and twice the median error of
// equal ranges approximates the derivative.
func (g *grid) estimatePrice(size int) float64 {
	cells := len(g.starts) - 1
	costs, sum := make([]float64, size), 0.0
	for i := range costs {
		costs[i] = max(0, g.cost(i*cells/size, (i+1)*cells/size))
		sum += costs[i]
	}
	slices.Sort(costs)
	if middle := costs[size/2]; middle > 0 { // the median is robust against outliers
		return 2 * middle
	}
	return 2 * sum / float64(size)
}

// nextPrice returns the next price to try, the geometric mean of the bounds, because
// prices differ by orders of magnitude.
func nextPrice(low, high float64) float64 {
	return max(high/16, math.Sqrt(low)*math.Sqrt(high))
}

// addBorder adds the border that lowers the error most.
func (g *grid) addBorder(borders []int) []int {
	at, best, maxGain := 0, 0, math.Inf(-1)
	for i := range len(borders) - 1 {
		from, to := borders[i], borders[i+1]
		whole := g.cost(from, to)
		for b := from + 1; b < to; b++ {
			if gain := whole - g.cost(from, b) - g.cost(b, to); gain > maxGain {
				at, best, maxGain = i+1, b, gain
			}
		}
	}
	return slices.Insert(borders, at, best)
}

// shortestPath contains the best cut up to each border.
type shortestPath struct {
	grid  *grid
	costs []float64 // error and prices of the best cut up to each border
	from  []int     // start of that cut's last range
}

func newShortestPath(g *grid) *shortestPath {
	return &shortestPath{g, make([]float64, len(g.starts)), make([]int, len(g.starts))}
}

// find returns the borders with the minimal sum of errors and prices. The start of
// the best last range never moves down as its end moves up (the Monge property), so
// each search starts where the previous one ended.
func (t *shortestPath) find(price float64) []int {
	for to := 1; to < len(t.from); to++ {
		border, minCost := t.from[to-1], math.Inf(1)
		for b := border; b < to && t.costs[b] < minCost; b++ { // costs only rise
			if cost := t.costs[b] + t.grid.cost(b, to); cost < minCost {
				border, minCost = b, cost
			}
		}
		t.costs[to], t.from[to] = minCost+price, border
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
