package palette

import (
	"context"
	"math"
	"slices"
)

// relocations are the candidates of moveEntries. Both lists hold rankKeys, ascending.
type relocations struct {
	// mergers contains entries by the error that merging them adds. The entry that
	// would take their points is in mergeTargets.
	mergers      []uint64
	mergeTargets []uint32
	// splits contains entries by the error that a second entry for their points
	// removes.
	splits []uint64
}

// moveEntries merges the entry whose removal costs least and uses it to split the
// entry whose split gains most, and so on, as long as the gain is larger than the
// cost. Entries that a relocation has changed stay out of later ones, because their
// costs and gains are no longer known.
func (s *state) moveEntries(ctx context.Context) error {
	s.workers.progress.startStage(costMoveEntries, s.entries.len())
	m, err := s.findRelocations(ctx)
	if err != nil {
		return err
	}
	touched := make([]bool, s.entries.len())
	means := newTwoMeans(s.points.width)
	for _, key := range m.mergers {
		entry := rankNumber(key)
		into := m.mergeTargets[entry]
		if touched[entry] || touched[into] {
			continue
		}
		splitEntry, gain := m.bestSplit(func(e uint32) bool { return touched[e] || e == entry || e == into })
		if !(gain > rankWeight(key)) {
			break
		}
		touched[entry], touched[into], touched[splitEntry] = true, true, true
		s.merge(entry, into)
		s.split(splitEntry, entry, means)
	}
	s.groupMembers()
	for e, t := range touched {
		if members := s.membersOf(uint32(e)); t && len(members) > 0 {
			s.points.setMean(members, s.entries.at(uint32(e)))
		}
	}
	return nil
}

// findRelocations returns the mergers and splits of all entries, without mergers that
// cost more than any split gains, and without splits that gain less than any merger
// costs.
func (s *state) findRelocations(ctx context.Context) (*relocations, error) {
	n := s.entries.len()
	m := &relocations{make([]uint64, n), make([]uint32, n), make([]uint64, n)}
	err := s.workers.forEachBlock(ctx, n, func(from, to, _ int) {
		means := newTwoMeans(s.points.width)
		for e := uint32(from); e < uint32(to); e++ {
			into, cost := s.cheapestMerger(e)
			m.mergeTargets[e], m.mergers[e] = into, rankKey(cost, e)
			m.splits[e] = rankKey(means.find(s.points, s.membersOf(e)), e)
		}
	})
	if err != nil {
		return nil, err
	}
	minCost, maxGain := slices.Min(m.mergers), slices.Max(m.splits)
	m.mergers = slices.DeleteFunc(m.mergers, func(key uint64) bool { return key > maxGain })
	m.splits = slices.DeleteFunc(m.splits, func(key uint64) bool { return key < minCost })
	slices.Sort(m.mergers)
	slices.Sort(m.splits)
	return m, nil
}

// bestSplit returns the entry whose split gains most, and the gain, which is 0 if no entry is left.
// Entries for which refused returns true are removed permanently.
func (m *relocations) bestSplit(refused func(entry uint32) bool) (entry uint32, gain float32) {
	for len(m.splits) > 0 {
		key := m.splits[len(m.splits)-1]
		if !refused(rankNumber(key)) {
			return rankNumber(key), rankWeight(key)
		}
		m.splits = m.splits[:len(m.splits)-1]
	}
	return 0, 0
}

// cheapestMerger returns the neighbour that can take the points of an entry at the
// lowest cost, and the cost: the growth of the squared error by Ward's formula. An
// entry without points costs nothing.
//
// Ward's formula for entries with a and b points at a distance d is d^2 a b/(a+b).
func (s *state) cheapestMerger(entry uint32) (into uint32, cost float32) {
	na := float32(s.counts[entry])
	if na == 0 {
		return entry, 0
	}
	into, cost = entry, math.MaxFloat32
	for _, e := range s.graph.neighboursOf(entry) {
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

// merge gives all points of an entry to another. The next round moves points for
// which a third entry is better.
func (s *state) merge(entry, into uint32) {
	for _, p := range s.membersOf(entry) {
		s.labels[p] = into
	}
}

// split moves the points near the second of an entry's two means to a free entry.
func (s *state) split(entry, free uint32, means *twoMeans) {
	means.find(s.points, s.membersOf(entry))
	for _, p := range s.membersOf(entry) {
		if means.inSecond(s.points.at(p)) {
			s.labels[p] = free
		}
	}
	s.graph.insert(free, entry)
}
