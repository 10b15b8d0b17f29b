package palette

import (
	"context"
	"math"
)

// movePoints gives points to neighbouring entries. A point far from its best entry
// gets there in several rounds, each of which sees other neighbours.
func (s *state) movePoints(ctx context.Context) error {
	s.workers.tell.stage(costMovePoints, s.points.len())
	for e, n := range s.counts {
		s.leave[e] = float32(n) / float32(max(n, 2)-1)
		s.join[e] = float32(n) / float32(n+1)
	}
	err := s.workers.blocks(ctx, len(s.members), func(from, to, _ int) {
		for _, p := range s.members[from:to] {
			s.wishes[p] = s.wish(p)
		}
	})
	if err != nil {
		return err
	}
	s.grant()
	return nil
}

// wish returns the neighbour of a point's entry that lowers the error most by
// having the point, or its own entry.
func (s *state) wish(p uint32) uint32 {
	own := s.labels[p]
	if s.counts[own] < 2 {
		return own
	}
	point, best := s.points.at(p), own
	cost := distance(point, s.entries.at(own), math.MaxFloat32) * s.leave[own]
	for _, e := range s.graph.of(own) {
		if s.counts[e] == 0 {
			continue // it is nowhere in particular until it is moved
		}
		limit := cost / s.join[e]
		if d := distance(point, s.entries.at(e), limit); d < limit {
			cost, best = d*s.join[e], e
		}
	}
	return best
}

// grant fulfils, in the order of the points, the wishes that still lower the
// error after those that were granted before, and gathers.
func (s *state) grant() {
	for p, to := range s.wishes {
		from := s.labels[p]
		if to == from || s.counts[from] < 2 {
			continue
		}
		point := s.points.at(uint32(p))
		a, b := s.entries.at(from)[:len(point)], s.entries.at(to)[:len(point)]
		na, nb := float32(s.counts[from]), float32(s.counts[to])
		limit := distance(point, a, math.MaxFloat32) * na / (na - 1) * (nb + 1) / nb
		if !(distance(point, b, limit) < limit) {
			continue
		}
		leave, join := 1/(na-1), 1/(nb+1)
		for j, v := range point {
			a[j] -= (v - a[j]) * leave
			b[j] += (v - b[j]) * join
		}
		s.counts[from]--
		s.counts[to]++
		s.labels[p] = to
	}
	s.gather()
}
