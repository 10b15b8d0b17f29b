package rest

import "testing"

// A client reads the lock until it ends, so reading the lock does not count as a visit.
func TestSpaceLock_does_not_count_as_a_visit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'privacy':'Open'}`)
	w.call(w.bob, "GET", "/v1/spaces/"+id+"/lock", "").status2xx()
	space := read[struct{ VisitCount int }](w.call(w.alice, "GET", "/v1/spaces/"+id, ""), 200)
	if got, want := space.VisitCount, 0; got != want {
		t.Errorf("visits: got %d, want %d", got, want)
	}
}
