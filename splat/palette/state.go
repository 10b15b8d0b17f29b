package palette

import "context"

// state is a palette in the making: points in the order of the tree, the entry of
// each, and the mean and the number of the points of each entry.
type state struct {
	workers *workers
	points  rows
	labels  []uint32
	entries rows
	counts  []uint32
	graph   *graph
	// members lists the points by entry, as gather found them: those of entry e
	// are members[starts[e]:starts[e+1]].
	members []uint32
	starts  []uint32
	// wishes is the entry that each point would rather have.
	wishes []uint32
	// leave and join are what the distance between an entry and a point counts
	// when the point leaves or joins the n points of the entry: n/(n-1) and
	// n/(n+1) of its square.
	leave, join []float32
}

// newState returns the state of points that no entry has yet.
func newState(points rows, entries int, w *workers) *state {
	n := points.len()
	return &state{
		workers: w,
		points:  points,
		labels:  make([]uint32, n),
		entries: newRows(entries, points.width),
		counts:  make([]uint32, entries),
		members: make([]uint32, n),
		starts:  make([]uint32, entries+1),
		wishes:  make([]uint32, n),
		leave:   make([]float32, entries),
		join:    make([]float32, entries),
	}
}

// refine moves points and entries for a number of rounds, and ends with the
// points, so that entries that were moved last have theirs.
func (s *state) refine(ctx context.Context, rounds int) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	for range rounds {
		if err := s.movePoints(ctx); err != nil {
			return err
		}
		if err := s.moveEntries(ctx); err != nil {
			return err
		}
		s.workers.tell.stage(costDescend, s.entries.len())
		if err := s.graph.descend(ctx, s.entries, s.curiosity(), s.workers); err != nil {
			return err
		}
	}
	return s.movePoints(ctx)
}

// connect makes the graph of the entries.
func (s *state) connect(ctx context.Context) error {
	s.graph = newGraph(s.entries.len(), s.degree(), s.workers.count)
	s.workers.tell.stage(costConnect, 3*s.entries.len())
	if err := s.graph.start(ctx, s.entries, s.workers); err != nil {
		return err
	}
	for range 2 {
		if err := s.graph.descend(ctx, s.entries, s.curiosity(), s.workers); err != nil {
			return err
		}
	}
	return nil
}

// degree is how many neighbours an entry has. Where entries have few points, most of
// the work is the graph's, and fewer suffice: at three points for two entries, 22
// neighbours take a third less time than 48 for one percent more error.
func (s *state) degree() int {
	return min(48, 16+4*s.points.len()/s.entries.len())
}

// curiosity is how many of its neighbours an entry asks for theirs: fewer where
// entries have few points, so that a point costs the same.
func (s *state) curiosity() int {
	return min(8, max(2, s.points.len()/s.entries.len()))
}

// gather counts and lists the points of each entry by their labels.
func (s *state) gather() {
	clear(s.counts)
	for _, e := range s.labels {
		s.counts[e]++
	}
	end := uint32(0)
	for e, n := range s.counts {
		end += n
		s.starts[e] = end
	}
	s.starts[len(s.counts)] = end
	for p := len(s.labels) - 1; p >= 0; p-- {
		e := s.labels[p]
		s.starts[e]--
		s.members[s.starts[e]] = uint32(p)
	}
}

// of returns the points that an entry had when gather looked.
func (s *state) of(entry uint32) []uint32 {
	return s.members[s.starts[entry]:s.starts[entry+1]]
}

// center sets each entry that has points to their mean.
func (s *state) center(ctx context.Context) error {
	return s.workers.each(ctx, s.entries.len(), func(e, _ int) {
		if members := s.of(uint32(e)); len(members) > 0 {
			s.points.mean(members, s.entries.at(uint32(e)))
		}
	})
}
