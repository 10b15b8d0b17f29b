package palette

import "testing"

func TestPlaneFinder_finds_differences_in_the_last_axes(t *testing.T) {
	t.Parallel()
	const n = 2500 // larger than the sample
	points := newRows(n, 48)
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
		points.at(uint32(i))[3] = 7 // equal in all points
	}
	f := newPlaneFinder(points.width)
	if f.find(points, order) {
		t.Error("found a plane between equal points")
	}
	points.at(1)[44] = 1 // a single point, outside of the sample
	if !f.find(points, order) || !f.below(points.at(0)) || f.below(points.at(1)) {
		t.Error("found no plane beside the one point that differs")
	}
}
