package mcp

import "testing"

func TestSlots(t *testing.T) {
	t.Parallel()
	s := newSlots(3, 2)
	first, ok := s.take("alice")
	equal(t, "first", ok, true)
	second, ok := s.take("alice")
	equal(t, "second", ok, true)
	if _, ok := s.take("alice"); ok {
		t.Error("third of a user: got a slot, want none")
	}
	third, ok := s.take("bob")
	equal(t, "of another user", ok, true)
	if _, ok := s.take("carol"); ok {
		t.Error("fourth of all: got a slot, want none")
	}
	for _, release := range []func(){first, second, third} {
		release()
	}
	equal(t, "left", len(s.users)+s.all, 0)
}
