package palette

import "context"

// state is a palette under construction: the points in the order of the tree, their
// entries, and the mean and the number of points of each entry.
type state struct {
	workers *workers
	points  rows
	labels  []uint32
	entries rows
	counts  []uint32
	graph   *graph
	// members lists the points by entry as of the last groupMembers: entry e has
	// the points members[starts[e]:starts[e+1]].
	members []uint32
	starts  []uint32
	// preferred contains the preferredEntry of each point.
	preferred []uint32
	// leaveFactors and joinFactors hold n/(n-1) and n/(n+1) for each entry with n
	// points. Times the squared distance of a point, they are the change of the
	// error when the point leaves or joins the entry (Hartigan and Wong).
	leaveFactors, joinFactors []float32
}

// newState returns a state whose points have no entries yet.
func newState(points rows, entries int, w *workers) *state {
	n := points.len()
	return &state{
		workers:      w,
		points:       points,
		labels:       make([]uint32, n),
		entries:      newRows(entries, points.width),
		counts:       make([]uint32, entries),
		members:      make([]uint32, n),
		starts:       make([]uint32, entries+1),
		preferred:    make([]uint32, n),
		leaveFactors: make([]float32, entries),
		joinFactors:  make([]float32, entries),
	}
}

// refine moves points and entries for a number of rounds. It ends with the points, so
// that the entries that were moved last get theirs.
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
		s.workers.progress.startStage(costDescend, s.entries.len())
		if err := s.graph.descend(ctx, s.entries, s.expansions(), s.workers); err != nil {
			return err
		}
	}
	return s.movePoints(ctx)
}

// connect builds the graph of the entries: first from the order that the tree gave them, then
// by two rounds of NN-descent. refine improves it after each move of the entries.
func (s *state) connect(ctx context.Context) error {
	s.graph = newGraph(s.entries.len(), s.degree(), s.workers.count)
	s.workers.progress.startStage(costConnect, 3*s.entries.len())
	if err := s.graph.connectAdjacent(ctx, s.entries, s.workers); err != nil {
		return err
	}
	for range 2 {
		if err := s.graph.descend(ctx, s.entries, s.expansions(), s.workers); err != nil {
			return err
		}
	}
	return nil
}

// degree returns the number of neighbours of an entry. If entries have few points,
// the graph takes most of the time and fewer neighbours suffice: with 1.5 points per
// entry, 22 neighbours take a third less time than 48 and add one percent of error.
func (s *state) degree() int {
	return min(48, 16+4*s.points.len()/s.entries.len())
}

// expansions returns the number of neighbours whose neighbours an entry considers. It
// is smaller if entries have few points, so that the time per point stays the same.
func (s *state) expansions() int {
	return min(8, max(2, s.points.len()/s.entries.len()))
}

// groupMembers sets counts, starts and members from the labels, by a counting sort.
//
// It goes through the points from the last one, so that starts ends at the first place of each
// entry, and members of an entry are in the order of the points.
func (s *state) groupMembers() {
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

// membersOf returns the points of an entry as of the last groupMembers.
func (s *state) membersOf(entry uint32) []uint32 {
	return s.members[s.starts[entry]:s.starts[entry+1]]
}

// setMeans sets each entry to the mean of its points, if it has any.
func (s *state) setMeans(ctx context.Context) error {
	return s.workers.forEach(ctx, s.entries.len(), func(e, _ int) {
		if members := s.membersOf(uint32(e)); len(members) > 0 {
			s.points.setMean(members, s.entries.at(uint32(e)))
		}
	})
}
