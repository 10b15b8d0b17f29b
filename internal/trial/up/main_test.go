package main

import (
	"slices"
	"testing"
)

// Floors and grounds show what is up, and what stands without one keeps the axes of its file.
func TestMeasure(t *testing.T) {
	t.Parallel()
	shown := []string{"furnished room", "garden in haze", "table in a room", "statue in a square", "tree on a lawn", "vehicle on a road", "garden by a tilted phone",
		"attic", "street", "village from a drone"}
	kept := []string{"bouquet without a floor", "vase without a floor", "statue without a floor", "tree without a floor", "ceiling from below", "office ceiling from below"}
	seen := map[string]bool{}
	for _, c := range append(captures(), heldBack()...) {
		if seen[c.kind] || !slices.Contains(shown, c.kind) && !slices.Contains(kept, c.kind) {
			continue
		}
		seen[c.kind] = true
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			for _, up := range ups[:3] {
				got, err := try(t.Context(), c, up)
				if err != nil {
					t.Fatal(err)
				}
				if got.worse != 0 || slices.Contains(shown, c.kind) && got.mended != got.wrong {
					t.Errorf("up %v: got %+v", up, got)
				}
			}
		})
	}
	if len(seen) != len(shown)+len(kept) {
		t.Errorf("got the kinds %v, want all", seen)
	}
}
