package rest

import "testing"

func TestSpaceChanges_looks_for_the_space_before_the_version(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hers, his := w.space(w.alice, `{}`), w.space(w.bob, `{}`)
	for _, from := range []string{"x", "", "-1", "1.5", "99999999999999999999"} {
		path := "/versions/1/changes?from=" + from
		w.call(w.alice, "GET", "/v1/spaces/none"+path, "").refused(404, "Space not found")
		w.call(w.alice, "GET", "/v1/spaces/"+his+path, "").refused(403, "You are not authorized to access this space")
		w.call(w.alice, "GET", "/v1/spaces/"+hers+path, "").refused(400, "from must be the number of a version")
	}
	w.call(w.alice, "GET", "/v1/spaces/"+hers+"/versions/1/changes?from=1", "").refused(400, "from must be an earlier version")
}
