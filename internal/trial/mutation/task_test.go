package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/testkit/program"
)

// TestTasks_write_every_format asks the program what it can write: a format that is added
// without a task fails here.
func TestTasks_write_every_format(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("building the program takes too long for a short run")
	}
	binary, err := program.Build(t.Context(), program.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), binary, "convert", "a.ply", "a.unknown").CombinedOutput()
	if err == nil {
		t.Fatalf("convert to an unknown format: got %s, want an error", said)
	}
	_, names, ok := strings.Cut(string(said), "name a folder")
	formats := regexp.MustCompile(`\.[a-z.]*[a-z]`).FindAllString(names, -1)
	if !ok || len(formats) < 10 {
		t.Fatalf("got %q from %s, want a list of formats", formats, said)
	}
	c := capture{gaussians: true}
	for _, format := range formats {
		if !slices.ContainsFunc(slices.Concat(tasks(c), writers(c)), func(t task) bool { return t.out == "made"+format || t.out == "poster"+format }) {
			t.Errorf("no task writes %s", format)
		}
	}
	if !slices.ContainsFunc(tasks(c), func(t task) bool { return t.out == "made" }) {
		t.Error("no task writes a folder")
	}
}
