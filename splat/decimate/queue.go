package decimate

// entry is a node with the cost of its cheapest merge.
type entry struct {
	cost float32
	node uint32
}

// queue is a binary heap with the cheapest entry first. It does not use container/heap, because
// calls through its interface would take most of the time.
type queue []entry

func (q *queue) clear() { *q = (*q)[:0] }

// add appends an entry. Call heapify before the queue is used.
func (q *queue) add(e entry) { *q = append(*q, e) }

// heapify turns entries in any order into a heap.
func (q queue) heapify() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
}

// replace changes the cost of the first entry.
func (q queue) replace(cost float32) {
	q[0].cost = cost
	q.sink(0)
}

// drop removes the first entry.
func (q *queue) drop() {
	last := len(*q) - 1
	(*q)[0] = (*q)[last]
	*q = (*q)[:last]
	if last > 0 {
		q.sink(0)
	}
}

// sink moves an entry down until no entry below it is cheaper.
func (q queue) sink(i int) {
	e := q[i]
	for {
		k := 2*i + 1
		if k+1 < len(q) && q[k+1].cost < q[k].cost {
			k++
		}
		if k >= len(q) || q[k].cost >= e.cost {
			break
		}
		q[i], i = q[k], k
	}
	q[i] = e
}
