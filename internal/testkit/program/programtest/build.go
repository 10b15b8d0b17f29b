package programtest

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/testkit/program"
	"portico/internal/testkit/race"
)

// Build builds the program like a release, but with the race detector if the test has it, and
// returns its path.
func Build(t testing.TB) string {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	check(t, err)
	readSources(t, strings.TrimSpace(string(module)))
	path, err := program.Build(t.Context(), program.BuildOptions{Race: race.Enabled})
	check(t, err)
	return path
}

// readSources makes the cached result of the test depend on the sources of the program. The go
// command caches a result until a file changes that the test itself has opened. It does not know
// the files that go build opens.
func readSources(t testing.TB, module string) {
	t.Helper()
	check(t, filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && path != module
		if err == nil && entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		return err
	}))
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
