package palette

import "testing"

func TestPlaneFinder_sees_what_only_the_last_axes_tell_apart(t *testing.T) {
	t.Parallel()
	const n = 2500 // more than are looked at for a sample
	points := newRows(n, 48)
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
		points.at(uint32(i))[3] = 7 // the same for all
	}
	f := newPlaneFinder(points.width)
	if f.find(points, order) {
		t.Error("found a plane between points that are alike")
	}
	points.at(1)[44] = 1 // of all points, and outside of the sample
	if !f.find(points, order) || !f.below(points.at(0)) || f.below(points.at(1)) {
		t.Error("found no plane beside the one point that differs")
	}
}
