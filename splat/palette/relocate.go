package palette

import (
	"context"
	"math"
	"slices"
)

// market is what entries are worth where they are and elsewhere. Both lists are of
// rank keys, and ascend.
type market struct {
	// mergers has for entries what it costs to give their points to another one,
	// which into names.
	mergers []uint64
	into    []uint32
	// divisions has for entries what is gained by a second one for their points.
	divisions []uint64
}

// moveEntries takes the entries that cost least to do without, cheapest first,
// and gives each to the points that gain most by one, as long as they gain more
// than it costs.
func (s *state) moveEntries(ctx context.Context) error {
	s.workers.tell.stage(costMoveEntries, s.entries.len())
	m, err := s.weigh(ctx)
	if err != nil {
		return err
	}
	touched := make([]bool, s.entries.len())
	halves := newHalves(s.points.width)
	for _, key := range m.mergers {
		entry := rankNumber(key)
		into := m.into[entry]
		if touched[entry] || touched[into] {
			continue
		}
		crowded, gain := m.best(func(e uint32) bool { return touched[e] || e == entry || e == into })
		if !(gain > rankWeight(key)) {
			break
		}
		touched[entry], touched[into], touched[crowded] = true, true, true
		s.merge(entry, into)
		s.divide(crowded, entry, halves)
	}
	s.gather()
	for e, t := range touched {
		if members := s.of(uint32(e)); t && len(members) > 0 {
			s.points.mean(members, s.entries.at(uint32(e)))
		}
	}
	return nil
}

// weigh returns what each entry is worth, without those mergers that cost more
// than any division gains, and the other way round.
func (s *state) weigh(ctx context.Context) (*market, error) {
	n := s.entries.len()
	m := &market{make([]uint64, n), make([]uint32, n), make([]uint64, n)}
	err := s.workers.blocks(ctx, n, func(from, to, _ int) {
		halves := newHalves(s.points.width)
		for e := uint32(from); e < uint32(to); e++ {
			into, cost := s.cheapest(e)
			m.into[e], m.mergers[e] = into, rankKey(cost, e)
			m.divisions[e] = rankKey(halves.find(s.points, s.of(e)), e)
		}
	})
	if err != nil {
		return nil, err
	}
	least, most := slices.Min(m.mergers), slices.Max(m.divisions)
	m.mergers = slices.DeleteFunc(m.mergers, func(key uint64) bool { return key > most })
	m.divisions = slices.DeleteFunc(m.divisions, func(key uint64) bool { return key < least })
	slices.Sort(m.mergers)
	slices.Sort(m.divisions)
	return m, nil
}

// best returns the entry, none of those refused, whose division gains most, and
// that gain, which is 0 where there is none. What is refused is so for good.
func (m *market) best(refused func(entry uint32) bool) (entry uint32, gain float32) {
	for len(m.divisions) > 0 {
		key := m.divisions[len(m.divisions)-1]
		if !refused(rankNumber(key)) {
			return rankNumber(key), rankWeight(key)
		}
		m.divisions = m.divisions[:len(m.divisions)-1]
	}
	return 0, 0
}

// cheapest returns the neighbour that suits best to have the points of an entry,
// and what that costs, by Ward's formula. An entry without points goes for nothing.
func (s *state) cheapest(entry uint32) (into uint32, cost float32) {
	na := float32(s.counts[entry])
	if na == 0 {
		return entry, 0
	}
	into, cost = entry, math.MaxFloat32
	for _, e := range s.graph.of(entry) {
		nb := float32(s.counts[e])
		if nb == 0 {
			continue
		}
		weight := na * nb / (na + nb)
		limit := cost / weight
		if d := distance(s.entries.at(entry), s.entries.at(e), limit); d < limit {
			into, cost = e, d*weight
		}
	}
	return into, cost
}

// merge gives all points of an entry away. Where they are better off with yet
// another one, the next round moves them.
func (s *state) merge(entry, into uint32) {
	for _, p := range s.of(entry) {
		s.labels[p] = into
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
