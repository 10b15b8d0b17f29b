package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/folder"
	"portico/splat/sog"
)

// convertCapture converts a capture and returns the output folder.
func convertCapture(t *testing.T, manifest string) string {
	t.Helper()
	at := t.TempDir()
	to, err := folder.OpenLocal(at)
	check(t, err)
	defer to.Close()
	_, err = sog.WriteStreamed(t.Context(), openCapture(t, manifest), to, sog.Options{})
	check(t, err)
	return at
}

func TestOutcome_of_our_output_is_close_to_the_capture(t *testing.T) {
	t.Parallel()
	manifest := generateCapture(t, small)
	original, err := readCapture(t.Context(), manifest)
	check(t, err)
	var o outcome
	check(t, o.compareWith(t.Context(), convertCapture(t, manifest), original))
	if diff := cmp.Diff([]int{1001, 500, 250}, o.levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if o.unmatched != 0 || o.duplicates != 0 {
		t.Errorf("got %d unmatched, %d twice, want none", o.unmatched, o.duplicates)
	}
	// The mean error of rounding along three axes is 0.48 steps.
	if o.positionSteps < 0.4 || o.positionSteps > 0.55 || o.positionMean <= 0 || o.positionMax > 10 {
		t.Errorf("positions: got %.3f steps, mean %.3f mm, max %.3f mm", o.positionSteps, o.positionMean, o.positionMax)
	}
	if o.rotationMean <= 0 || o.rotationMean > 0.4 || o.colourShare != 0 || o.opacityShare != 0 || o.scaleRMS > 0.02 {
		t.Errorf("got %+v, want the precision of the format", o.difference)
	}
	if o.picture < 40 {
		t.Errorf("picture: got %.1f dB, want 40", o.picture)
	}
	if o.bytes < 10_000 {
		t.Errorf("size: got %d bytes", o.bytes)
	}
}

func TestReadStream_refuses_other_files(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	check(t, os.WriteFile(at+"/"+streamName, []byte("{}"), 0o600))
	if _, err := readStream(t.Context(), at); err == nil {
		t.Error("got no error, want one")
	}
}
