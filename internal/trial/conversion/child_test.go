package main

import (
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/command"
)

// TestMain lets the test binary act as the child process of measure.
func TestMain(m *testing.M) {
	if report, measured, ok := childArguments(); ok {
		command.Exit("conversion", measureChild(report, measured))
	}
	os.Exit(m.Run())
}

func TestMeasure_includes_the_children_of_a_command(t *testing.T) {
	t.Parallel()
	// The inner shell keeps eight megabytes in a variable and counts for a while.
	script := `sh -c 'a=$(head -c 8000000 /dev/zero | tr "\0" x); i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'; true`
	got, err := measure(t.Context(), []string{"sh", "-c", script})
	check(t, err)
	if got.CPU <= 0 || got.Wall < got.CPU/8 {
		t.Errorf("time: got %v of CPU in %v", got.CPU, got.Wall)
	}
	if got.PeakMemory < 8_000_000 {
		t.Errorf("peak: got %d bytes, want the 8 MB of the inner shell", got.PeakMemory)
	}
}

func TestMeasure_returns_the_output_of_a_failed_command(t *testing.T) {
	t.Parallel()
	_, err := measure(t.Context(), []string{"sh", "-c", "echo no such capture >&2; exit 3"})
	if err == nil || !strings.Contains(err.Error(), "no such capture") {
		t.Errorf("got %v, want the command's output", err)
	}
}
