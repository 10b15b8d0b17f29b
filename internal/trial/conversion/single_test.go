package main

import (
	"os"
	"path/filepath"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/sog"
)

func TestOutcome_of_a_single_file_is_close_to_the_PLY(t *testing.T) {
	t.Parallel()
	d := dataset{name: "small", splats: 1001, levels: 1, single: true}
	manifest, _, err := d.generate(t.Context(), t.TempDir())
	check(t, err)
	original, err := readCapture(t.Context(), manifest)
	check(t, err)
	at := t.TempDir()
	out, err := os.Create(d.result(at))
	check(t, err)
	_, err = sog.WriteBundle(t.Context(), gaussian.NewMemorySource(nil, original.cloud), out, sog.Options{})
	check(t, err)
	check(t, out.Close())
	var o outcome
	check(t, o.compareWith(t.Context(), at, original))
	if o.levels[0] != 1001 || o.unmatched != 0 || o.duplicates != 0 {
		t.Errorf("got %v Gaussians, %d unmatched, %d twice, want 1001 and none", o.levels, o.unmatched, o.duplicates)
	}
	if o.positionSteps < 0.4 || o.positionSteps > 0.55 || o.rotationMean > 0.4 || o.colourShare != 0 || o.opacityShare != 0 {
		t.Errorf("got %+v, want the precision of the format", o.difference)
	}
	if left, err := filepath.Glob(filepath.Join(at, "*")); err != nil || len(left) != 1 {
		t.Errorf("left in the folder: %q and %v, want the result alone", left, err)
	}
}
