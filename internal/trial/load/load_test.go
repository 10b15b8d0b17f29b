package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/command"
)

// TestMain lets the test's own program serve as a contender, as the command does.
func TestMain(m *testing.M) {
	if serve, ok := inChild(); ok {
		command.Exit("load", serve())
	}
	os.Exit(m.Run())
}

func TestCheckFree_names_the_folder_that_is_too_small(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := checkFree(folder, 1); err != nil {
		t.Errorf("one byte: got %v, want nil", err)
	}
	if err := checkFree(folder, 1<<60); err == nil || !strings.Contains(err.Error(), folder+" has ") {
		t.Errorf("an exabyte: got %v, want an error that names %s", err, folder)
	}
}

// Every response of a round is compared with what was learned from the first, so a change of
// the API that the benchmark does not know ends it here, and not in the middle of a
// measurement.
func TestMeasure_understands_every_response(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program and starts Postgres")
	}
	w, err := openWorld(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}()
	names := contenderNames()
	all, err := measureAll(t.Context(), w, options{
		connections: []int{2}, rounds: 1, duration: 20 * time.Millisecond, source: "../../..", only: names,
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all.Results, func(r result) bool { return r.Contender == name }) {
			t.Errorf("%s has no result", name)
		}
	}
}
