package palette

import (
	"context"
	"math"
)

// movePoints moves points to neighbouring entries. A point far from its best entry
// gets there in several rounds, each of which starts from another entry.
func (s *state) movePoints(ctx context.Context) error {
	s.workers.progress.startStage(costMovePoints, s.points.len())
	for e, n := range s.counts {
		s.leaveFactors[e] = float32(n) / float32(max(n, 2)-1)
		s.joinFactors[e] = float32(n) / float32(n+1)
	}
	err := s.workers.forEachBlock(ctx, len(s.members), func(from, to, _ int) {
		for _, p := range s.members[from:to] {
			s.preferred[p] = s.preferredEntry(p)
		}
	})
	if err != nil {
		return err
	}
	s.applyMoves()
	return nil
}

// preferredEntry returns the neighbouring entry to which moving the point lowers the
// error most, or the point's own entry.
func (s *state) preferredEntry(p uint32) uint32 {
	own := s.labels[p]
	if s.counts[own] < 2 {
		return own
	}
	point, best := s.points.at(p), own
	cost := distance(point, s.entries.at(own), math.MaxFloat32) * s.leaveFactors[own]
	for _, e := range s.graph.neighboursOf(own) {
		if s.counts[e] == 0 {
			continue // an entry without points has no position
		}
		limit := cost / s.joinFactors[e]
		if d := distance(point, s.entries.at(e), limit); d < limit {
			cost, best = d*s.joinFactors[e], e
		}
	}
	return best
}

// applyMoves moves the points to their preferred entries, in the order of the points,
// if the move still lowers the error after the moves before it. The fixed order makes
// the result independent of the number of workers.
//
// The mean of n points without v is a - (v-a)/(n-1), and with v it is b + (v-b)/(n+1), so that both
// entries stay the means of their points after each move.
func (s *state) applyMoves() {
	for p, to := range s.preferred {
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
	s.groupMembers()
}
