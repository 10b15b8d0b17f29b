package programtest

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portico/internal/testkit/program"
)

// built is the program of this test process. It is a package variable because the tests have no
// other way to share the program. The go command takes a second to find that it is up to date.
var built = sync.OnceValues(build)

// Build builds the program like a release, and returns its path. The tests of a process share one
// build.
func Build(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("building the program takes too long for a short run")
	}
	path, err := built()
	check(t, err)
	return path
}

// build builds the program. It has no context: the first test may end while the others wait for the
// build.
func build() (path string, err error) {
	module, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	if err := readSources(strings.TrimSpace(string(module))); err != nil {
		return "", err
	}
	return program.Build(context.Background(), program.BuildOptions{})
}

// readSources makes the cached results of the tests depend on the sources of the program. The go
// command caches a result until a file changes that the test process itself has opened. It does not
// know the files that go build opens.
func readSources(module string) error {
	return filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && path != module
		if err == nil && entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		return err
	})
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
