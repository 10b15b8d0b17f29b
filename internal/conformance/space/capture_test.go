package space_test

import "testing"

func TestSpace_shows_a_capture_to_strangers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.T = t
	file := s.upload("room.ply", newRoom())
	s.awaitCapture(file)
	s.visit(t, "capture.mjs", map[string]any{"space": s.newSpace("A room", "infinite", file)})
}
