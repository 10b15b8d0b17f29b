package palette

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTwoMeans_of_few_points_are_optimal(t *testing.T) {
	t.Parallel()
	points := newRows(4, 8)
	for i, v := range []float32{1, 5, 6, 1} {
		points.at(uint32(i))[2] = v
	}
	h := newTwoMeans(points.width)
	for _, test := range []struct {
		members []uint32
		want    float32
	}{
		{nil, 0},
		{[]uint32{1}, 0},
		{[]uint32{0, 1}, 8},           // two errors of 2*2
		{[]uint32{0, 3}, 0},           // equal
		{[]uint32{0, 1, 2}, 13.5},     // 14 for one entry, 0.5 for two
		{[]uint32{0, 1, 2, 3}, 20.25}, // 20.75 and 0.5
	} {
		if got := h.find(points, test.members); math.Abs(float64(got-test.want)) > 1e-5 {
			t.Errorf("gain for %v = %v, want %v", test.members, got, test.want)
		}
	}
	if h.find(points, []uint32{0, 1}); h.inSecond(points.at(0)) == h.inSecond(points.at(1)) {
		t.Error("the halves of two points are on one side")
	}
}

// seededState returns a state of random points that have random entries.
func seededState(t *testing.T, n, entries int) *state {
	t.Helper()
	r := rand.New(rand.NewPCG(6, 6))
	w := newWorkers(2, newProgress(nil))
	w.progress.setRounds(1)
	s := newState(scatteredRows(n, 8), entries, w)
	for p := range s.labels {
		s.labels[p] = uint32(min(p*entries/n+r.IntN(2), entries-1))
	}
	s.groupMembers()
	if err := s.setMeans(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// squaredError sums the squared distances between points and their entries' means.
func (s *state) squaredError() float64 {
	sum, mean := 0.0, make([]float32, s.points.width)
	for e := range s.counts {
		members := s.membersOf(uint32(e))
		if len(members) == 0 {
			continue
		}
		s.points.setMean(members, mean)
		for _, p := range members {
			sum += float64(distance(s.points.at(p), mean, math.MaxFloat32))
		}
	}
	return sum
}

func TestState_loses_error_in_every_stage(t *testing.T) {
	t.Parallel()
	s := seededState(t, 3000, 300)
	last := s.squaredError()
	for range 3 {
		for name, stage := range map[string]func() error{
			"movePoints":  func() error { return s.movePoints(t.Context()) },
			"moveEntries": func() error { return s.moveEntries(t.Context()) },
		} {
			if err := stage(); err != nil {
				t.Fatal(err)
			}
			got := s.squaredError()
			if !(got < last) {
				t.Errorf("error after %s = %v, want less than %v", name, got, last)
			}
			last = got
			for e := range s.counts { // the next stage relies on this
				mean := make([]float32, s.points.width)
				if members := s.membersOf(uint32(e)); len(members) > 0 {
					s.points.setMean(members, mean)
					if d := distance(mean, s.entries.at(uint32(e)), math.MaxFloat32); d > 1e-6 {
						t.Fatalf("entry %d after %s is %v from the mean of its points", e, name, d)
					}
				}
				for _, p := range s.membersOf(uint32(e)) {
					if s.labels[p] != uint32(e) {
						t.Fatalf("point %d is listed with entry %d after %s, and has %d", p, e, name, s.labels[p])
					}
				}
			}
		}
	}
}

func TestState_finds_all_relocations_that_may_lower_the_error(t *testing.T) {
	t.Parallel()
	s := seededState(t, 2000, 400)
	m, err := s.findRelocations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(m.mergers) || !slices.IsSorted(m.splits) || len(m.mergers) == 0 || len(m.splits) == 0 {
		t.Fatalf("%d mergers, %d splits, want some of each, ascending", len(m.mergers), len(m.splits))
	}
	means := newTwoMeans(s.points.width)
	minCost, maxGain := rankWeight(m.mergers[0]), rankWeight(m.splits[len(m.splits)-1])
	for e := range uint32(400) {
		if _, cost := s.cheapestMerger(e); cost < maxGain && !slices.Contains(m.mergers, rankKey(cost, e)) {
			t.Errorf("no merger of entry %d, which costs %v, less than %v", e, cost, maxGain)
		}
		if gain := means.find(s.points, s.membersOf(e)); gain > minCost && !slices.Contains(m.splits, rankKey(gain, e)) {
			t.Errorf("no split of entry %d, which gains %v, more than %v", e, gain, minCost)
		}
	}
}
