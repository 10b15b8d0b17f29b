package palette

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// merger is what it costs to give the points of an entry to another one.
type merger struct {
	entry, into uint32
	cost        float32
}

// division is what is gained by a second entry for the points of one.
type division struct {
	entry uint32
	gain  float32
}

// moveEntries takes the entries that cost least to do without, cheapest first,
// and gives each to the points that gain most by one, as long as they gain more
// than it costs.
func (s *state) moveEntries(ctx context.Context) error {
	s.workers.tell.stage(costMoveEntries, s.entries.len())
	s.gather()
	if err := s.center(ctx); err != nil {
		return err
	}
	mergers, divisions, err := s.weigh(ctx)
	if err != nil {
		return err
	}
	touched := make([]bool, s.entries.len())
	halves := newHalves(s.points.width)
	for _, m := range mergers {
		if touched[m.entry] || touched[m.into] {
			continue
		}
		for len(divisions) > 0 && (touched[divisions[0].entry] || divisions[0].entry == m.entry || divisions[0].entry == m.into) {
			divisions = divisions[1:]
		}
		if len(divisions) == 0 || !(divisions[0].gain > m.cost) {
			break
		}
		crowded := divisions[0].entry
		touched[m.entry], touched[m.into], touched[crowded] = true, true, true
		s.merge(m)
		s.divide(crowded, m.entry, halves)
	}
	s.gather()
	return s.center(ctx)
}

// weigh returns the mergers, cheapest first, and the divisions, best first.
func (s *state) weigh(ctx context.Context) ([]merger, []division, error) {
	n := s.entries.len()
	mergers, divisions := make([]merger, n), make([]division, n)
	err := s.workers.blocks(ctx, n, func(from, to, _ int) {
		halves := newHalves(s.points.width)
		for e := from; e < to; e++ {
			mergers[e] = s.cheapest(uint32(e))
			divisions[e] = division{uint32(e), halves.find(s.points, s.of(uint32(e)))}
		}
	})
	slices.SortStableFunc(mergers, func(a, b merger) int { return cmp.Compare(a.cost, b.cost) })
	slices.SortStableFunc(divisions, func(a, b division) int { return cmp.Compare(b.gain, a.gain) })
	return mergers, divisions, err
}

// cheapest returns the merger of an entry with the neighbour that suits best, by
// Ward's formula. An entry without points goes for nothing.
func (s *state) cheapest(entry uint32) merger {
	best := merger{entry, entry, 0}
	na := float32(s.counts[entry])
	if na == 0 {
		return best
	}
	best.cost = math.MaxFloat32
	for _, e := range s.graph.of(entry) {
		nb := float32(s.counts[e])
		if nb == 0 {
			continue
		}
		weight := na * nb / (na + nb)
		limit := best.cost / weight
		if d := distance(s.entries.at(entry), s.entries.at(e), limit); d < limit {
			best.into, best.cost = e, d*weight
		}
	}
	return best
}

// merge gives all points of an entry away. Where they are better off with yet
// another one, the next round moves them.
func (s *state) merge(m merger) {
	for _, p := range s.of(m.entry) {
		s.labels[p] = m.into
	}
}

// divide gives half of the points of an entry to a free one.
func (s *state) divide(entry, free uint32, halves *halves) {
	halves.find(s.points, s.of(entry))
	for _, p := range s.of(entry) {
		if halves.second(s.points.at(p)) {
			s.labels[p] = free
		}
	}
	s.graph.join(free, entry)
}
