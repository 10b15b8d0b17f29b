package main

import (
	"os"
	"strings"
	"testing"
)

// TestMain lets the test's program be the child that measure starts.
func TestMain(m *testing.M) {
	if report, command, ok := inChild(); ok {
		exit(measureChild(report, command))
	}
	os.Exit(m.Run())
}

func TestMeasure_takes_a_command_s_children_in(t *testing.T) {
	t.Parallel()
	// The inner shell holds eight megabytes in a variable and counts for a while.
	script := `sh -c 'a=$(head -c 8000000 /dev/zero | tr "\0" x); i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'; true`
	got, err := measure(t.Context(), []string{"sh", "-c", script})
	check(t, err)
	if got.CPU <= 0 || got.Wall < got.CPU/8 {
		t.Errorf("time: got %v of CPU in %v", got.CPU, got.Wall)
	}
	if got.Peak < 8_000_000 {
		t.Errorf("peak: got %d bytes, want the 8 MB of the inner shell", got.Peak)
	}
}

func TestMeasure_tells_what_a_command_said_that_failed(t *testing.T) {
	t.Parallel()
	_, err := measure(t.Context(), []string{"sh", "-c", "echo no such capture >&2; exit 3"})
	if err == nil || !strings.Contains(err.Error(), "no such capture") {
		t.Errorf("got %v, want what it said", err)
	}
}
